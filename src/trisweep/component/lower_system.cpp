#include "trisweep/component/lower_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/core/error.hpp"

namespace trisweep::component {
namespace {

// Rows and columns are counted from 1, as in the files they come from.
std::string place(Index row, Index column) {
  return fmt::format("row {}, column {}", row + 1, column + 1);
}

void require_square(const matrix::Pattern& p) {
  if (p.rows == p.cols) return;
  throw Error(ErrorKind::input, fmt::format("the matrix is {} x {}, not square", p.rows, p.cols),
              "a triangular system needs as many equations as unknowns");
}

template <Scalar T>
void check_diagonal(T value, Index row) {
  if (std::isfinite(std::abs(value)) && value != T(0)) return;
  throw Error(ErrorKind::numerical,
              fmt::format("the diagonal entry of row {} is {}", row + 1,
                          value == T(0) ? "zero: the matrix is singular" : "not finite"));
}

// A row with an entry on that side of the diagonal; -1: none has.
struct Outside {
  Index below = -1;
  Index above = -1;
};

Outside outside_of(const matrix::Pattern& pattern) {
  Outside outside;
  for (Index i = 0; i < pattern.rows; ++i) {
    const auto row = pattern.row(i);
    if (row.empty()) continue;
    if (row.front() < i && outside.below < 0) outside.below = i;
    if (row.back() > i && outside.above < 0) outside.above = i;
  }
  return outside;
}

// Rows and columns in the reverse order.
template <Scalar T>
matrix::Csr<T> reversed(const matrix::Csr<T>& a) {
  matrix::Csr<T> r;
  r.pattern.rows = r.pattern.cols = a.rows();
  r.pattern.row_ptr.reserve(usize(a.rows()) + 1);
  r.pattern.col.reserve(a.value.size());
  r.value.assign(a.value.rbegin(), a.value.rend());
  for (Index i = a.rows() - 1; i >= 0; --i) {
    const auto row = a.pattern.row(i);
    for (auto j = row.rbegin(); j != row.rend(); ++j) r.pattern.col.push_back(a.rows() - 1 - *j);
    r.pattern.row_ptr.push_back(static_cast<Offset>(r.pattern.col.size()));
  }
  return r;
}

}  // namespace

bool is_triangular(const matrix::Pattern& pattern) {
  const Outside outside = outside_of(pattern);
  return pattern.rows == pattern.cols && (outside.below < 0 || outside.above < 0);
}

Form form_of(const matrix::Pattern& pattern) {
  require_square(pattern);
  const auto [below, above] = outside_of(pattern);
  if (below < 0 || above < 0) return {.upper = above >= 0};
  throw Error(ErrorKind::input,
              fmt::format("the matrix is not triangular: it has entries at {} and {}",
                          place(below, pattern.row(below).front()), place(above, pattern.row(above).back())),
              "factor it first, or solve with it as a whole");
}

template <Scalar T>
LowerSystem<T> lower_system(const matrix::Csr<T>& a, Form form, Op op) {
  require_square(a.pattern);
  const bool is_upper = form.upper != (op != Op::none);
  matrix::Csr<T> whole = op == Op::none ? a : matrix::transpose(a);
  if (op == Op::conjugate_transpose) std::ranges::transform(whole.value, whole.value.begin(), conjugate<T>);
  if (is_upper) whole = reversed(whole);

  LowerSystem<T> system{.reversed = is_upper};
  system.below.rows = system.below.cols = a.rows();
  for (Index i = 0; i < a.rows(); ++i) {
    const auto row = whole.pattern.row(i);
    const Index number = system.number(i);
    auto last = std::ranges::lower_bound(row, i);
    const bool has_diagonal = last != row.end() && *last == i;
    if (const auto next = last + has_diagonal; next != row.end()) {
      const Index other = system.number(*next);
      throw Error(ErrorKind::input,
                  fmt::format("the matrix has an entry at {}, {} the diagonal",
                              op == Op::none ? place(number, other) : place(other, number),
                              form.upper ? "below" : "above"),
                  "pass one triangle");
    }
    if (!has_diagonal && !form.unit) {
      throw Error(ErrorKind::input, fmt::format("row {} has no diagonal entry", number + 1),
                  "ask for a unit diagonal where it is not stored");
    }
    const auto first = usize(whole.pattern.row_ptr[usize(i)]), count = usize(last - row.begin());
    system.below.col.insert(system.below.col.end(), row.begin(), last);
    system.value.insert(system.value.end(), whole.value.begin() + std::ptrdiff_t(first),
                        whole.value.begin() + std::ptrdiff_t(first + count));
    system.below.row_ptr.push_back(static_cast<Offset>(system.value.size()));
    if (form.unit) continue;
    check_diagonal(whole.value[first + count], number);
    system.diagonal.push_back(whole.value[first + count]);
  }
  return system;
}

#define INSTANTIATE(T) template LowerSystem<T> lower_system(const matrix::Csr<T>&, Form, Op);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::component
