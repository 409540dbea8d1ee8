#include "trisweep/matrix/csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "trisweep/core/error.hpp"

namespace trisweep::matrix {
namespace {

// Row pointers from the number of entries in each row: counts[i + 1] holds row i's count on entry.
void accumulate(std::vector<Offset>& counts) {
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

// Calls visit(position in A, position in A^T) for every entry, and returns the transposed pattern. Rows of A
// are visited in order, so the columns of the result ascend.
template <class Visit>
Pattern transpose_pattern(const Pattern& a, Visit&& visit) {
  Pattern t{.rows = a.cols, .cols = a.rows, .row_ptr = std::vector<Offset>(usize(a.cols) + 1), .col = {}};
  t.col.resize(a.col.size());
  for (const Index j : a.col) ++t.row_ptr[usize(j) + 1];
  accumulate(t.row_ptr);
  std::vector<Offset> next(t.row_ptr.begin(), t.row_ptr.end() - 1);
  for (Index i = 0; i < a.rows; ++i) {
    for (const Offset p : a.entries(i)) {
      const Offset q = next[usize(a.col[usize(p)])]++;
      t.col[usize(q)] = i;
      visit(usize(p), usize(q));
    }
  }
  return t;
}

// The union of row i of `a`, row i of `t` and {i}, appended to `out`.
void append_union(const Pattern& a, const Pattern& t, Index i, std::vector<Index>& out) {
  const auto left = a.row(i), right = t.row(i);
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(out));
  const auto place = std::lower_bound(out.begin() + begin, out.end(), i);
  if (place == out.end() || *place != i) out.insert(place, i);
}

bool has_full_diagonal(const Pattern& a) {
  for (Index i = 0; i < a.rows; ++i) {
    if (!std::ranges::binary_search(a.row(i), i)) return false;
  }
  return true;
}

std::vector<Offset> permuted_row_ptr(const Pattern& a, std::span<const Index> row_new) {
  std::vector<Offset> row_ptr(usize(a.rows) + 1);
  for (Index i = 0; i < a.rows; ++i)
    row_ptr[usize(row_new[usize(i)]) + 1] = static_cast<Offset>(a.row(i).size());
  accumulate(row_ptr);
  return row_ptr;
}

// Column pointers of the permuted matrix.
std::vector<Offset> column_ptr(const Pattern& a, std::span<const Index> col_new) {
  std::vector<Offset> ptr(usize(a.cols) + 1);
  for (const Index j : a.col) ++ptr[usize(col_new[usize(j)]) + 1];
  accumulate(ptr);
  return ptr;
}

}  // namespace

template <Scalar T>
void require_consistent(const Csr<T>& a, const RowNumbers& number) {
  const Pattern& p = a.pattern;
  const auto refuse = [](const std::string& text) {
    throw Error(ErrorKind::usage, text,
                "pass rows by row pointers from 0, and columns that ascend in each row");
  };
  if (p.rows < 0 || p.row_ptr.size() != usize(p.rows) + 1 || p.row_ptr.front() != 0 ||
      !std::ranges::is_sorted(p.row_ptr) || usize(p.nonzeros()) != p.col.size() ||
      p.col.size() != a.value.size())
    refuse("the rows' pointers, columns and values do not fit together");
  for (Index i = 0; i < p.rows; ++i) {
    const auto row = p.row(i);
    const bool ascends = std::ranges::adjacent_find(row, std::ranges::greater_equal()) == row.end();
    if (!ascends || (!row.empty() && (row.front() < 0 || row.back() >= p.cols)))
      refuse(fmt::format("columns of row {} (counting from 0) do not ascend from 0 to {}", number(i),
                         p.cols - 1));
  }
}

template <Scalar T>
Csr<T> transpose(const Csr<T>& a) {
  Csr<T> t;
  t.value.resize(a.value.size());
  t.pattern = transpose_pattern(a.pattern, [&](std::size_t p, std::size_t q) { t.value[q] = a.value[p]; });
  return t;
}

Pattern transpose(const Pattern& a) {
  return transpose_pattern(a, [](std::size_t, std::size_t) {});
}

Pattern symmetrized(const Pattern& a) {
  Pattern t = transpose(a);
  if (a.col == t.col && a.row_ptr == t.row_ptr && has_full_diagonal(a)) return t;
  Pattern s{.rows = a.rows, .cols = a.cols, .row_ptr = {}, .col = {}};
  s.row_ptr.reserve(usize(a.rows) + 1);
  s.row_ptr.push_back(0);
  s.col.reserve(a.col.size() + usize(a.rows));
  for (Index i = 0; i < a.rows; ++i) {
    append_union(a, t, i, s.col);
    s.row_ptr.push_back(static_cast<Offset>(s.col.size()));
  }
  return s;
}

template <Scalar To, Scalar From>
Csr<To> convert(const Csr<From>& a) {
  Csr<To> result;
  result.pattern = a.pattern;
  result.value.reserve(a.value.size());
  for (const From& v : a.value) {
    if constexpr (is_complex<From> && is_complex<To>) {
      result.value.emplace_back(static_cast<RealOf<To>>(v.real()), static_cast<RealOf<To>>(v.imag()));
    } else {
      static_assert(!is_complex<From>, "a complex matrix does not convert to a real one");
      result.value.emplace_back(static_cast<RealOf<To>>(v));
    }
  }
  return result;
}

template <Scalar T>
void multiply(const Csr<T>& a, Op op, std::span<const T> x, std::span<T> y) {
  if (op != Op::none) std::fill(y.begin(), y.end(), T{});
  for (Index i = 0; i < a.rows(); ++i) {
    T sum{};
    for (const Offset p : a.pattern.entries(i)) {
      const std::size_t j = usize(a.pattern.col[usize(p)]);
      const T v = a.value[usize(p)];
      switch (op) {
        case Op::none:
          sum += v * x[j];
          break;
        case Op::transpose:
          y[j] += v * x[usize(i)];
          break;
        case Op::conjugate_transpose:
          y[j] += conjugate(v) * x[usize(i)];
          break;
      }
    }
    if (op == Op::none) y[usize(i)] = sum;
  }
}

template <Scalar T>
double norm_inf(const Csr<T>& a) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (const Offset p : a.pattern.entries(i)) {
      sum += std::abs(a.value[usize(p)]);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

template <Scalar T>
double norm_one(const Csr<T>& a) {
  std::vector<double> sum(usize(a.cols()));
  for (std::size_t p = 0; p < a.value.size(); ++p) sum[usize(a.pattern.col[p])] += std::abs(a.value[p]);
  return sum.empty() ? 0.0 : *std::max_element(sum.begin(), sum.end());
}

// Visits rows in order and compares each entry (i, j) right of the diagonal with the next unvisited entry of
// row j. When row j is reached, all its entries left of the diagonal have been visited, and its diagonal
// entry is next. Stored zeros need no mirror image.
template <Scalar T>
ValueSymmetry value_symmetry(const Csr<T>& a, bool hermitian) {
  if (a.rows() != a.cols()) return {};
  const auto mirrored = [&](const T& v) { return hermitian ? conjugate(v) : v; };
  const Offset* const row_ptr = a.pattern.row_ptr.data();
  std::vector<Offset> next(row_ptr, row_ptr + a.rows());
  // The next unvisited entry of row i. Zeros left of column `col` are skipped: they have no mirror image.
  const auto next_from = [&](Index i, Index col) {
    Offset& p = next[usize(i)];
    while (p < row_ptr[i + 1] && a.pattern.col[usize(p)] < col && a.value[usize(p)] == T(0)) ++p;
    return p;
  };
  bool is_positive = true;
  for (Index i = 0; i < a.rows(); ++i) {
    Offset p = next_from(i, i);
    const Offset end = row_ptr[i + 1];
    if (p < end && a.pattern.col[usize(p)] == i) {
      const T& diagonal = a.value[usize(p++)];
      if (!(diagonal == mirrored(diagonal))) return {};
      is_positive = is_positive && std::real(diagonal) > 0;
    } else {
      is_positive = false;
    }
    for (; p < end; ++p) {
      const Index j = a.pattern.col[usize(p)];
      if (j < i) return {};
      const Offset q = next_from(j, i);
      const bool has_mirror = q < row_ptr[j + 1] && a.pattern.col[usize(q)] == i;
      next[usize(j)] += has_mirror ? 1 : 0;
      if (!(a.value[usize(p)] == (has_mirror ? mirrored(a.value[usize(q)]) : T(0)))) return {};
    }
  }
  return {true, is_positive};
}

template <Scalar T>
bool is_symmetric(const Csr<T>& a, bool hermitian) {
  return value_symmetry(a, hermitian).holds;
}

Pattern permuted(const Pattern& a, std::span<const Index> row_new, std::span<const Index> col_new) {
  Pattern b{.rows = a.rows, .cols = a.cols, .row_ptr = permuted_row_ptr(a, row_new), .col = {}};
  b.col.resize(a.col.size());
  for (Index i = 0; i < a.rows; ++i) {
    const auto row = b.col.begin() + b.row_ptr[usize(row_new[usize(i)])];
    const auto end =
        std::transform(a.row(i).begin(), a.row(i).end(), row, [&](Index j) { return col_new[usize(j)]; });
    std::sort(row, end);
  }
  return b;
}

template <Scalar T>
Csr<T> permuted_and_scaled(const Csr<T>& a, std::span<const Index> row_new, std::span<const Index> col_new,
                           std::span<const double> row_scale, std::span<const double> col_scale) {
  using Real = RealOf<T>;
  Csr<T> b;
  b.pattern = {
      .rows = a.rows(), .cols = a.cols(), .row_ptr = permuted_row_ptr(a.pattern, row_new), .col = {}};
  b.pattern.col.resize(a.pattern.col.size());
  b.value.resize(a.value.size());
  // First sort the entries by column; then each row receives its entries in ascending order.
  std::vector<std::pair<Index, T>> entry(a.value.size());  // with its row
  std::vector<Offset> next = column_ptr(a.pattern, col_new);
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(p)];
      const auto scale = static_cast<Real>(row_scale[usize(i)] * col_scale[usize(j)]);
      entry[usize(next[usize(col_new[usize(j)])]++)] = {row_new[usize(i)], a.value[usize(p)] * scale};
    }
  }
  std::vector<Offset> place(b.pattern.row_ptr.begin(), b.pattern.row_ptr.end() - 1);
  std::size_t e = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    for (; e < usize(next[usize(j)]); ++e) {  // next[j] is now the end of column j
      const std::size_t q = usize(place[usize(entry[e].first)]++);
      b.pattern.col[q] = j;
      b.value[q] = entry[e].second;
    }
  }
  return b;
}

#define INSTANTIATE(T)                                                                               \
  template void require_consistent(const Csr<T>&, const RowNumbers&);                                \
  template Csr<T> transpose(const Csr<T>&);                                                          \
  template Csr<T> convert<T, RealOf<T>>(const Csr<RealOf<T>>&);                                      \
  template void multiply(const Csr<T>&, Op, std::span<const T>, std::span<T>);                       \
  template double norm_inf(const Csr<T>&);                                                           \
  template double norm_one(const Csr<T>&);                                                           \
  template bool is_symmetric(const Csr<T>&, bool);                                                   \
  template ValueSymmetry value_symmetry(const Csr<T>&, bool);                                        \
  template Csr<T> permuted_and_scaled(const Csr<T>&, std::span<const Index>, std::span<const Index>, \
                                      std::span<const double>, std::span<const double>);
TRISWEEP_FOR_EACH_MATRIX_SCALAR(INSTANTIATE)
template Csr<float> convert(const Csr<double>&);
template Csr<std::complex<float>> convert(const Csr<double>&);
template Csr<std::complex<float>> convert(const Csr<std::complex<double>>&);
template Csr<std::complex<float>> convert(const Csr<std::complex<float>>&);
template Csr<std::complex<double>> convert(const Csr<std::complex<double>>&);

}  // namespace trisweep::matrix
