#include "trisweep/engine/vector_moves.hpp"

#include <algorithm>

#include "trisweep/kernels/line.hpp"

namespace trisweep::engine {
namespace {

// The rows that are moved: the caller's row[i] to or from the permuted row at(i), with all its right-hand
// sides, times scale[row[i]] (null: 1).
template <class Real, class At>
struct Rows {
  std::span<const Index> row;
  const Real* scale;
  At at;

  Real factor(std::size_t i) const { return scale == nullptr ? Real{1} : scale[usize(row[i])]; }
};

// The operation on an entry of the caller's vectors and its permuted one; and on a line of all columns, if
// the caller's vectors are column-major or row-major.
template <class T>
struct Load {
  void operator()(const T& from, T& to, RealOf<T> factor) const { to = from * factor; }
  void line(Vectors<const T> from, Index row, const kernels::LineRows<T>& rows) const {
    kernels::load_line(from.data + row, from.ld, rows);
  }
  void line(VectorRows<const T> from, Index row, const kernels::LineRows<T>& rows) const {
    kernels::load_rows(from.row(usize(row)), from.ld, rows);
  }
};
template <class T, bool adds = false>
struct Store {
  void operator()(T& to, const T& from, RealOf<T> factor) const {
    to = adds ? to + from * factor : from * factor;
  }
  void line(Vectors<T> to, Index row, const kernels::LineRows<T>& rows) const {
    kernels::store_line(to.data + row, to.ld, rows);
  }
  void line(VectorRows<T> to, Index row, const kernels::LineRows<T>& rows) const {
    kernels::store_rows(to.row(usize(row)), to.ld, rows, adds);
  }
};

template <class T>
T& entry_of(Vectors<T> v, Index row, Index column) {
  return v.column(column)[row];
}
template <class T>
T& entry_of(VectorRows<T> v, Index row, Index column) {
  return v.row(usize(row))[column];
}

// Moves rows [begin, end) of one column. The permuted rows are scattered in memory, and are prefetched.
template <class T, class R, class Transfer>
void move_column(T* column, const R& rows, std::size_t begin, std::size_t end, const Transfer& transfer) {
  constexpr std::size_t ahead = 128;
  for (std::size_t i = begin; i < end; ++i) {
    __builtin_prefetch(rows.at(std::min(i + ahead, end - 1)), std::is_const_v<T>);
    transfer(column[rows.row[i]], *rows.at(i), rows.factor(i));
  }
}

// Moves rows [begin, end) of all columns, in whole lines where rows are consecutive.
template <class V, class R, class Transfer>
void move_columns(V caller, const R& rows, std::size_t begin, std::size_t end, const Transfer& transfer) {
  using T = std::remove_cvref_t<decltype(*caller.data)>;
  constexpr std::size_t together = kernels::line_rows<T>;
  kernels::LineRows<T> line{.row = {}, .factor = {}, .nrhs = caller.cols};
  for (std::size_t first = begin; first < end; first += together) {
    const std::size_t count = std::min(together, end - first);
    const Index* const row = rows.row.data() + first;
    bool consecutive = count == together;
    for (std::size_t i = 0; i < count; ++i) {
      consecutive &= row[i] == row[0] + static_cast<Index>(i);
      line.row[i] = rows.at(first + i);
      line.factor[i] = rows.factor(first + i);
    }
    if (consecutive) {
      transfer.line(caller, row[0], line);
      continue;
    }
    for (Index r = 0; r < caller.cols; ++r) {
      for (std::size_t i = 0; i < count; ++i)
        transfer(entry_of(caller, row[i], r), line.row[i][r], line.factor[i]);
    }
  }
}

// Moves all entries; each thread has a part of the rows.
template <class V, class R, class Transfer>
void move_rows(ThreadPool& pool, V caller, const R& rows, const Transfer& transfer) {
  constexpr bool in_rows = requires {
    caller.row(0);
  };
  using T = std::remove_cvref_t<decltype(*caller.data)>;
  pool.run([&](int thread) {
    const auto [begin, end] = pool.part(thread, rows.row.size(), kernels::line_rows<T>);
    if (caller.cols == 1 && (!in_rows || caller.ld == 1)) {
      move_column(caller.data, rows, begin, end, transfer);
    } else {
      move_columns(caller, rows, begin, end, transfer);
    }
  });
}

}  // namespace

template <Scalar T>
VectorScales<T>::VectorScales(const ordering::Ordering& ordering, const distribution::RowPartition& partition,
                              Index rank) {
  const auto own = [&](const std::vector<double>& of_all) -> std::vector<RealOf<T>> {
    const auto scale = std::span(of_all).subspan(usize(partition.first(rank)), usize(partition.count(rank)));
    if (std::ranges::all_of(scale, [](double factor) { return factor == 1; })) return {};
    return {scale.begin(), scale.end()};
  };
  equations_ = own(ordering.row_scale);
  unknowns_ = own(ordering.col_scale);
}

template <Scalar T>
CallersVectors<T> VectorScales<T>::scaled(Op op, CallersVectors<T> vectors) const {
  const auto pointer = [&](const auto& s) { return vectors.scaled && !s.empty() ? s.data() : nullptr; };
  vectors.b_scale = pointer(op == Op::none ? equations_ : unknowns_);
  vectors.x_scale = pointer(op == Op::none ? unknowns_ : equations_);
  return vectors;
}

template <Scalar T>
template <class At>
void VectorMoves<T>::at_caller(std::span<const Index> row, const At& at) const {
  const bool in = way_ == plan::VectorWay::in;
  const Rows<RealOf<T>, At> rows{row, in ? vectors_.b_scale : vectors_.x_scale, at};
  const auto& [b, x, adds] = vectors_.rows;
  if (b.data == nullptr) {
    in ? move_rows(pool_, vectors_.b, rows, Load<T>()) : move_rows(pool_, vectors_.x, rows, Store<T>());
  } else if (in) {
    move_rows(pool_, b, rows, Load<T>());
  } else {
    adds ? move_rows(pool_, x, rows, Store<T, true>()) : move_rows(pool_, x, rows, Store<T>());
  }
}

template <Scalar T>
void VectorMoves<T>::keep(std::span<const Index> caller, std::span<const plan::WorkRow> work) const {
  at_caller(caller, [&](std::size_t i) { return work_.at(work[i].value()); });
}

template <Scalar T>
void VectorMoves<T>::pack(std::span<const Index> row, T* message) const {
  const Index nrhs = work_.nrhs;
  if (way_ == plan::VectorWay::in)
    return at_caller(row, [&](std::size_t i) { return message + i * usize(nrhs); });
  for (const Index r : row) message = std::copy_n(work_.at(r), nrhs, message);
}

template <Scalar T>
void VectorMoves<T>::unpack(std::span<const Index> row, T* message) const {
  const Index nrhs = work_.nrhs;
  if (way_ == plan::VectorWay::out)
    return at_caller(row, [&](std::size_t i) { return message + i * usize(nrhs); });
  for (const Index r : row) {
    std::copy_n(message, nrhs, work_.at(r));
    message += nrhs;
  }
}

#define INSTANTIATE(T)            \
  template class VectorScales<T>; \
  template class VectorMoves<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
