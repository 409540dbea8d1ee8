#include "trisweep/sptrsv/lower_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/core/error.hpp"

namespace trisweep::sptrsv {
namespace {

std::string place(Index row, Index column) {
  return fmt::format("row {}, column {}", row, column);
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
              fmt::format("the diagonal entry of row {} (counting from 0) is {}", row,
                          value == T(0) ? "zero: the matrix is singular" : "not finite"));
}

// First row with an entry on each side of the diagonal; -1: none.
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

// Makes a LowerSystem from the rows of op(A), in the order of elimination.
template <Scalar T>
class InOrderOfElimination {
 public:
  InOrderOfElimination(const matrix::Csr<T>& whole, Form form, Op op)
      : whole_(whole), form_(form), op_(op), system_{.reversed = form.upper != (op != Op::none)} {
    system_.below.rows = system_.below.cols = whole.rows();
    system_.below.row_ptr.reserve(usize(whole.rows()) + 1);
    system_.below.col.resize(whole.value.size());
    system_.value.resize(whole.value.size());
    if (!form.unit) system_.diagonal.reserve(usize(whole.rows()));
  }

  LowerSystem<T> eliminate() {
    for (Index i = 0; i < whole_.rows(); ++i) append(i);
    system_.below.col.resize(usize(entries_));
    system_.value.resize(usize(entries_));
    return std::move(system_);
  }

 private:
  void append(Index i) {
    const Index number = system_.number(i);
    const auto begin = whole_.pattern.row_ptr[usize(number)], end = whole_.pattern.row_ptr[usize(number) + 1];
    const Offset step = system_.reversed ? -1 : 1;
    Offset e = system_.reversed ? end - 1 : begin, left = end - begin;
    for (; left > 0; --left, e += step) {
      const Index j = system_.number(whole_.pattern.col[usize(e)]);
      if (j >= i) break;
      system_.below.col[usize(entries_)] = j;
      system_.value[usize(entries_++)] = whole_.value[usize(e)];
    }
    system_.below.row_ptr.push_back(entries_);
    const bool has_diagonal = left > 0 && whole_.pattern.col[usize(e)] == number;
    if (left > (has_diagonal ? 1 : 0))
      refuse_outside(number, whole_.pattern.col[usize(has_diagonal ? e + step : e)]);
    if (form_.unit) return;
    if (!has_diagonal) {
      throw Error(ErrorKind::input, fmt::format("row {} (counting from 0) has no diagonal entry", number),
                  "ask for a unit diagonal where it is not stored");
    }
    check_diagonal(whole_.value[usize(e)], number);
    system_.diagonal.push_back(whole_.value[usize(e)]);
  }

  [[noreturn]] void refuse_outside(Index number, Index other) const {
    throw Error(ErrorKind::input,
                fmt::format("the matrix has an entry at {} (counting from 0), {} the diagonal",
                            op_ == Op::none ? place(number, other) : place(other, number),
                            form_.upper ? "below" : "above"),
                "pass one triangle");
  }

  const matrix::Csr<T>& whole_;  // op(A)
  Form form_;
  Op op_;
  LowerSystem<T> system_;
  Offset entries_ = 0;
};

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
              fmt::format("the matrix is not triangular: it has entries at {} and {} (counting from 0)",
                          place(below, pattern.row(below).front()), place(above, pattern.row(above).back())),
              "use trisweep solve, which factors it, or give one triangle");
}

template <Scalar T>
LowerSystem<T> lower_system(const matrix::Csr<T>& a, Form form, Op op) {
  require_square(a.pattern);
  if (op == Op::none) return InOrderOfElimination<T>(a, form, op).eliminate();
  matrix::Csr<T> whole = matrix::transpose(a);
  if (op == Op::conjugate_transpose) std::ranges::transform(whole.value, whole.value.begin(), conjugate<T>);
  return InOrderOfElimination<T>(whole, form, op).eliminate();
}

#define INSTANTIATE(T) template LowerSystem<T> lower_system(const matrix::Csr<T>&, Form, Op);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
