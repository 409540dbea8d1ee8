#include "problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace peers {
namespace {

using Bytes = std::streamsize;

template <class T>
void put(std::ofstream& out, const std::vector<T>& v) {
  out.write(reinterpret_cast<const char*>(v.data()), static_cast<Bytes>(v.size() * sizeof(T)));
}

template <class T>
std::vector<T> take(std::ifstream& in, std::size_t size) {
  std::vector<T> v(size);
  in.read(reinterpret_cast<char*>(v.data()), static_cast<Bytes>(size * sizeof(T)));
  return v;
}

std::size_t usize(int i) {
  return static_cast<std::size_t>(i);
}

// Calls f(i, j, a_ij) for every entry, row by row.
void for_each_entry(const Problem& p, auto&& f) {
  for (int i = 0; i < p.rows; ++i) {
    for (int e = p.row_ptr[usize(i)]; e < p.row_ptr[usize(i) + 1]; ++e)
      f(i, p.col[usize(e)], p.value[usize(e)]);
  }
}

// residual() of `Columns` columns, whose unknowns are stored side by side first.
template <std::size_t Columns>
void residual_of(const Problem& p, const double* b, const double* x, double* r, double* error,
                 std::vector<double>& side_by_side) {
  using Lanes = std::array<double, Columns>;
  const std::size_t n = usize(p.rows);
  if constexpr (Columns > 1) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < Columns; ++c) side_by_side[i * Columns + c] = x[c * n + i];
    }
  }
  const double* const unknown = Columns > 1 ? side_by_side.data() : x;
  Lanes worst{};
  for (std::size_t i = 0; i < n; ++i) {
    Lanes sum, size;
    for (std::size_t c = 0; c < Columns; ++c) size[c] = std::abs(sum[c] = b[c * n + i]);
    for (auto e = usize(p.row_ptr[i]); e < usize(p.row_ptr[i + 1]); ++e) {
      const double* const xj = unknown + Columns * usize(p.col[e]);
      for (std::size_t c = 0; c < Columns; ++c) {
        const double product = p.value[e] * xj[c];
        sum[c] -= product;
        size[c] += std::abs(product);
      }
    }
    for (std::size_t c = 0; c < Columns; ++c) {
      r[c * n + i] = sum[c];
      const double ratio = sum[c] == 0 ? 0 : std::abs(sum[c]) / size[c];
      worst[c] = std::max(worst[c], std::isnan(ratio) ? HUGE_VAL : ratio);
    }
  }
  std::ranges::copy(worst, error);
}

double largest(const double* v, int size) {
  double m = 0;
  for (int i = 0; i < size; ++i) m = std::max(m, std::isfinite(v[i]) ? std::abs(v[i]) : HUGE_VAL);
  return m;
}

}  // namespace

std::vector<int> Problem::old_of_new() const {
  std::vector<int> old(new_of_old.size());
  for (int i = 0; i < rows; ++i) old[usize(new_of_old[usize(i)])] = i;
  return old;
}

void write_problem(const std::filesystem::path& file, const Problem& p) {
  std::ofstream out(file, std::ios::binary);
  put(out, std::vector<int>{p.rows, static_cast<int>(p.col.size()), p.definite});
  put(out, p.row_ptr);
  put(out, p.col);
  put(out, p.new_of_old);
  put(out, p.value);
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

Problem read_problem(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const auto head = take<int>(in, 3);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  Problem p{
      .rows = head[0], .definite = head[2] != 0, .row_ptr = {}, .col = {}, .value = {}, .new_of_old = {}};
  p.row_ptr = take<int>(in, usize(head[0]) + 1);
  p.col = take<int>(in, usize(head[1]));
  p.new_of_old = take<int>(in, usize(head[0]));
  p.value = take<double>(in, usize(head[1]));
  if (!in) throw std::runtime_error(file.string() + " is cut short");
  return p;
}

Problem transposed(const Problem& p) {
  Problem t = p;
  std::fill(t.row_ptr.begin(), t.row_ptr.end(), 0);
  for (const int j : p.col) ++t.row_ptr[usize(j) + 1];
  for (int i = 0; i < p.rows; ++i) t.row_ptr[usize(i) + 1] += t.row_ptr[usize(i)];
  std::vector<int> next(t.row_ptr.begin(), t.row_ptr.end() - 1);
  for_each_entry(p, [&](int i, int j, double a) {
    const auto at = usize(next[usize(j)]++);
    t.col[at] = i;
    t.value[at] = a;
  });
  return t;
}

Problem upper_triangle(const Problem& p) {
  Problem u{.rows = p.rows,
            .definite = p.definite,
            .row_ptr = {0},
            .col = {},
            .value = {},
            .new_of_old = p.new_of_old};
  u.row_ptr.resize(usize(p.rows) + 1);
  for_each_entry(p, [&](int i, int j, double a) {
    if (j < i) return;
    u.col.push_back(j);
    u.value.push_back(a);
    u.row_ptr[usize(i) + 1] = static_cast<int>(u.col.size());
  });
  return u;
}

void multiply(const Problem& p, const double* x, double* y) {
  std::fill(y, y + p.rows, 0.0);
  for_each_entry(p, [&](int i, int j, double a) { y[i] += a * x[j]; });
}

std::vector<double> residual(const Problem& p, std::span<const double> b, std::span<const double> x,
                             std::span<double> r) {
  const std::size_t n = usize(p.rows), columns = b.size() / n;
  std::vector<double> error(columns), side_by_side(columns > 1 ? 8 * n : 0);
  std::size_t c = 0;
  for (; c + 8 <= columns; c += 8)
    residual_of<8>(p, b.data() + c * n, x.data() + c * n, r.data() + c * n, error.data() + c, side_by_side);
  for (; c + 2 <= columns; c += 2)
    residual_of<2>(p, b.data() + c * n, x.data() + c * n, r.data() + c * n, error.data() + c, side_by_side);
  for (; c < columns; ++c)
    residual_of<1>(p, b.data() + c * n, x.data() + c * n, r.data() + c * n, error.data() + c, side_by_side);
  return error;
}

double backward_error(const Problem& p, int nrhs, const std::vector<double>& x,
                      const std::vector<double>& b) {
  std::vector<double> row_sums(usize(p.rows)), r(usize(p.rows));
  for_each_entry(p, [&](int i, int, double a) { row_sums[usize(i)] += std::abs(a); });
  const double norm = largest(row_sums.data(), p.rows);
  double worst = 0;
  for (int c = 0; c < nrhs; ++c) {
    const double* xc = x.data() + usize(c) * usize(p.rows);
    const double* bc = b.data() + usize(c) * usize(p.rows);
    multiply(p, xc, r.data());
    for (int i = 0; i < p.rows; ++i) r[usize(i)] = bc[i] - r[usize(i)];
    const double error = largest(r.data(), p.rows) / (norm * largest(xc, p.rows) + largest(bc, p.rows));
    worst = std::max(worst, std::isfinite(error) ? error : HUGE_VAL);
  }
  return worst;
}

}  // namespace peers
