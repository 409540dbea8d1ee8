#pragma once
// Steps of an iterative method on the vectors of one rank. A step computes rows of vectors from rows of
// others by a formula, and inner products in the same pass: all inner products of a step form one product
// with a tall and skinny matrix (Yamazaki et al., VI-B). One source for GPUs and for threads of the host.
//
// A warp processes a row block. Each lane sums rows that are `lanes` apart, then lanes are summed, then row
// blocks, each in a fixed order: sums are bitwise the same for any number of threads and blocks, and any
// number of lanes that a thread plays at a time.

#include "trisweep/backend/team.hpp"

namespace trisweep::device {

using namespace backend;

// The value of a row, from rows of up to three vectors.
enum class Form : std::uint8_t {
  zero,
  scaled,  // scale a
  sum,     // scale (a + first b)
  sums,    // a + first b + second c
  nested,  // a + first (b + second c)
};

template <class N>
struct RowUpdate {
  Form form;
  N* to;
  const N* a;
  const N* b;
  const N* c;
  N first, second;
  RealPart<N> scale;
};

// x^H y.
template <class N>
struct InnerProduct {
  const N* x;
  const N* y;
};

// Updates, one after the other, followed by inner products with their results.
template <class N>
struct VectorStep {
  static constexpr Index most_updates = 3, most_products = 5;
  Index rows = 0;
  Index updates = 0, products = 0;
  RowUpdate<N> update[most_updates];
  InnerProduct<N> product[most_products];
};

// Sums are in double precision, also for single-precision vectors.
template <class N>
struct SummedImpl {
  using type = double;
};
template <class R>
struct SummedImpl<Complex<R>> {
  using type = Complex<double>;
};
template <class N>
using Summed = typename SummedImpl<N>::type;

// Number of rows of a row block; it depends on `rows` alone.
TRISWEEP_DEVICE constexpr Index rows_of_row_block(Index rows) {
  constexpr Index shortest = 16 * slab_rows, most = 2048;
  const Index even = (rows + most - 1) / most;
  return even <= shortest ? shortest : (even + slab_rows - 1) / slab_rows * slab_rows;
}
TRISWEEP_DEVICE constexpr Index row_blocks_of(Index rows) {
  return (rows + rows_of_row_block(rows) - 1) / rows_of_row_block(rows);
}

// Calls visit(lane, i) for each lane of warp.few() and its rows i in [begin, end), which are `apart` rows
// apart.
template <class Warp, class Visit>
TRISWEEP_DEVICE inline void for_each_row(Index begin, Index end, int apart, const Warp& warp,
                                         const Visit& visit) {
  Index i = begin;
  for (; i + Warp::at_a_time <= end; i += apart) warp.few([&](int lane) { visit(lane, i + lane); });
  warp.few([&](int lane) {
    if (i + lane < end) visit(lane, i + lane);
  });
}

template <Form form, class N>
TRISWEEP_DEVICE inline N row_of(const RowUpdate<N>& u, Index i) {
  using R = RealPart<N>;
  if constexpr (form == Form::zero) return N{};
  N value = u.a[i];
  if constexpr (form == Form::sum || form == Form::sums) add_product(value, u.first, u.b[i], R(1));
  if constexpr (form == Form::sums) add_product(value, u.second, u.c[i], R(1));
  if constexpr (form == Form::nested) {
    N inner = u.b[i];
    add_product(inner, u.second, u.c[i], R(1));
    add_product(value, u.first, inner, R(1));
  }
  if constexpr (form == Form::scaled || form == Form::sum) value = times(u.scale, value);
  return value;
}

// All lanes read before any writes, so that vectors may coincide without hindering the compiler.
template <Form form, class N, class Warp>
TRISWEEP_DEVICE inline void update_rows(const RowUpdate<N> u, Index begin, Index end, const Warp& warp) {
  Index i = begin;
  for (; i + Warp::lanes <= end; i += Warp::lanes) {
    typename Warp::template Register<N> value;
    warp.each([&](int lane) { value[usize(lane)] = row_of<form>(u, i + lane); });
    warp.each([&](int lane) { u.to[i + lane] = value[usize(lane)]; });
  }
  warp.each([&](int lane) {
    if (i + lane < end) u.to[i + lane] = row_of<form>(u, i + lane);
  });
}

template <class N, class Warp>
TRISWEEP_DEVICE inline void update_rows(const RowUpdate<N>& u, Index begin, Index end, const Warp& warp) {
  switch (u.form) {
    case Form::zero:
      return update_rows<Form::zero>(u, begin, end, warp);
    case Form::scaled:
      return update_rows<Form::scaled>(u, begin, end, warp);
    case Form::sum:
      return update_rows<Form::sum>(u, begin, end, warp);
    case Form::sums:
      return update_rows<Form::sums>(u, begin, end, warp);
    case Form::nested:
      return update_rows<Form::nested>(u, begin, end, warp);
  }
}

template <class R>
TRISWEEP_DEVICE inline void add_inner(double& sum, R x, R y) {
  sum += static_cast<double>(x) * static_cast<double>(y);
}
template <class R>
TRISWEEP_DEVICE inline void add_inner(Complex<double>& sum, Complex<R> x, Complex<R> y) {
  add_product(sum, widened<Complex<double>>(x), widened<Complex<double>>(y), -1.0);
}

// Sum over i in [begin, end) of what add(sum, i) adds; each lane takes every 32nd i.
template <class S, class Warp, class Add>
TRISWEEP_DEVICE inline S sum_over(Index begin, Index end, const Warp& warp, const Add& add) {
  typename Warp::template Register<S> sum{};
  for (int first = 0; first < Warp::lanes; first += Warp::at_a_time) {
    typename Warp::template Few<S> part{};
    for_each_row(begin + first, end, Warp::lanes, warp,
                 [&](int lane, Index i) { add(part[usize(lane)], i); });
    warp.few([&](int lane) { sum[usize(first + lane)] = part[usize(lane)]; });
  }
  return warp.sum(sum);
}

// Runs a row block of a step; its partial inner products go to by_row_block[row block x products, ...).
template <class N, class Warp>
TRISWEEP_DEVICE inline void run_row_block(const VectorStep<N>& step, Index row_block, Summed<N>* by_row_block,
                                          const Warp& warp) {
  const Index begin = row_block * rows_of_row_block(step.rows);
  const Index next = begin + rows_of_row_block(step.rows), end = next < step.rows ? next : step.rows;
  for (Index u = 0; u < step.updates; ++u) update_rows(step.update[u], begin, end, warp);
  for (Index p = 0; p < step.products; ++p) {
    const auto sum = sum_over<Summed<N>>(
        begin, end, warp,
        [of = step.product[p]](Summed<N>& partial, Index i) { add_inner(partial, of.x[i], of.y[i]); });
    warp.lead([&] { by_row_block[usize(row_block) * usize(step.products) + usize(p)] = sum; });
  }
}

// Total of one of the step's inner products.
template <class N, class Warp>
TRISWEEP_DEVICE inline Summed<N> sum_of_row_blocks(const VectorStep<N>& step, Index product,
                                                   const Summed<N>* by_row_block, const Warp& warp) {
  return sum_over<Summed<N>>(0, row_blocks_of(step.rows), warp, [&](Summed<N>& sum, Index row_block) {
    sum += by_row_block[usize(row_block) * usize(step.products) + usize(product)];
  });
}

// Steps that are launched together, on vectors with equally many rows.
template <class N>
struct StepBatch {
  static constexpr Index most = 8;  // limited by the size of a kernel's arguments
  Index steps = 0;
  VectorStep<N> step[most];
  Index products[most];  // number of inner products of the steps before
  Summed<N>* by_row_block;
  Summed<N>* sums;

  TRISWEEP_DEVICE Index row_blocks() const { return row_blocks_of(step[0].rows); }
  TRISWEEP_DEVICE Summed<N>* of_row_blocks(Index s) const {
    return by_row_block + usize(row_blocks()) * usize(products[s]);
  }
};

// One row block per warp.
template <class N>
struct RunRowBlocks {
  static constexpr int threads = 4 * slab_rows;
  StepBatch<N> of;

  template <class Block>
  TRISWEEP_DEVICE void operator()(const Block& block) const {
    const Index row_block = block.number * block.groups + block.group;
    if (row_block >= of.row_blocks()) return;
    for (Index s = 0; s < of.steps; ++s)
      run_row_block(of.step[s], row_block, of.of_row_blocks(s), block.warp());
  }
};
// One block per step, with a warp for each inner product.
template <class N>
struct SumRowBlocks {
  static constexpr int threads = 4 * slab_rows;
  StepBatch<N> of;

  template <class Block>
  TRISWEEP_DEVICE void operator()(const Block& block) const {
    const VectorStep<N>& step = of.step[block.number];
    for (Index p = block.group; p < step.products; p += block.groups) {
      const auto warp = block.warp();
      const Summed<N> sum = sum_of_row_blocks(step, p, of.of_row_blocks(block.number), warp);
      warp.lead([&] { of.sums[of.products[block.number] + p] = sum; });
    }
  }
};

}  // namespace trisweep::device
