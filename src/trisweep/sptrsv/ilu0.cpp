#include "trisweep/sptrsv/ilu0.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/core/error.hpp"

namespace trisweep::sptrsv {
namespace {

// Returns the entries of one triangle; `diagonal`: index of each row's diagonal entry, which is part of U.
template <Scalar T>
matrix::Csr<T> triangle_of(const matrix::Csr<T>& a, const std::vector<Offset>& diagonal, bool upper) {
  matrix::Csr<T> part;
  part.pattern.rows = part.pattern.cols = a.rows();
  for (Index i = 0; i < a.rows(); ++i) {
    const Offset begin = upper ? diagonal[usize(i)] : a.pattern.row_ptr[usize(i)];
    const Offset end = upper ? a.pattern.row_ptr[usize(i) + 1] : diagonal[usize(i)];
    part.pattern.col.insert(part.pattern.col.end(), a.pattern.col.begin() + begin,
                            a.pattern.col.begin() + end);
    part.value.insert(part.value.end(), a.value.begin() + begin, a.value.begin() + end);
    part.pattern.row_ptr.push_back(static_cast<Offset>(part.value.size()));
  }
  return part;
}

// Returns the index of each entry of A in a pattern that contains them all.
template <Scalar T>
std::vector<Offset> places_in(const matrix::Pattern& pattern, const matrix::Csr<T>& a) {
  matrix::require_consistent(a);
  std::vector<Offset> place;
  place.reserve(a.value.size());
  for (Index i = 0; i < a.rows(); ++i) {
    Offset at = pattern.row_ptr[usize(i)];
    for (const Index j : a.pattern.row(i)) {
      while (pattern.col[usize(at)] != j) ++at;
      place.push_back(at);
    }
  }
  return place;
}

// Returns A on the larger pattern, with zeros where A has no entry.
template <Scalar T>
matrix::Csr<T> spread(const matrix::Pattern& pattern, const std::vector<Offset>& place,
                      std::span<const T> values) {
  matrix::Csr<T> a{pattern, std::vector<T>(pattern.col.size())};
  for (std::size_t e = 0; e < values.size(); ++e) a.value[usize(place[e])] = values[e];
  return a;
}

}  // namespace

std::vector<Offset> diagonals_of(const matrix::Pattern& p) {
  if (p.rows != p.cols)
    throw Error(ErrorKind::input, fmt::format("the matrix is {} x {}, not square", p.rows, p.cols));
  std::vector<Offset> at;
  for (Index i = 0; i < p.rows; ++i) {
    const auto row = p.row(i);
    const auto found = std::ranges::lower_bound(row, i);
    if (found == row.end() || *found != i) {
      throw Error(ErrorKind::input, fmt::format("row {} (counting from 0) has no diagonal entry", i),
                  "incomplete factorizations need a diagonal entry in every row: use lu");
    }
    at.push_back(p.row_ptr[usize(i)] + (found - row.begin()));
  }
  return at;
}

template <Scalar T>
IncompleteFactors<T> ilu0(const matrix::Csr<T>& a) {
  matrix::require_consistent(a);
  const std::vector<Offset> diagonal = diagonals_of(a.pattern);
  matrix::Csr<T> lu = a;
  const auto& row_ptr = a.pattern.row_ptr;
  const auto& col = a.pattern.col;
  std::vector<Offset> place(usize(a.rows()), -1);  // entry of the current row, by column; -1: none
  for (Index i = 0; i < a.rows(); ++i) {
    for (Offset e = row_ptr[usize(i)]; e < row_ptr[usize(i) + 1]; ++e) place[usize(col[usize(e)])] = e;
    for (Offset e = row_ptr[usize(i)]; e < diagonal[usize(i)]; ++e) {
      const Index k = col[usize(e)];
      const T factor = lu.value[usize(e)] /= lu.value[usize(diagonal[usize(k)])];
      for (Offset f = diagonal[usize(k)] + 1; f < row_ptr[usize(k) + 1]; ++f) {
        const Offset target = place[usize(col[usize(f)])];
        if (target >= 0) lu.value[usize(target)] -= factor * lu.value[usize(f)];
      }
    }
    for (Offset e = row_ptr[usize(i)]; e < row_ptr[usize(i) + 1]; ++e) place[usize(col[usize(e)])] = -1;
    const T pivot = lu.value[usize(diagonal[usize(i)])];
    if (pivot == T(0) || !std::isfinite(std::abs(pivot))) {
      throw Error(ErrorKind::numerical,
                  fmt::format("the incomplete factorization has a zero pivot in row {} (counting from 0)", i),
                  "use lu, or another order of the unknowns");
    }
  }
  return {triangle_of(lu, diagonal, false), triangle_of(lu, diagonal, true)};
}

template <Scalar T>
IncompleteLu<T>::IncompleteLu(const matrix::Csr<T>& a, matrix::Pattern pattern,
                              const RowSolverOptions& options)
    : pattern_(std::move(pattern)), place_(places_in(pattern_, a)), lower_({}, {}), upper_({}, {}) {
  IncompleteFactors<T> factors = ilu0(spread<T>(pattern_, place_, a.value));
  lower_ = RowSolver<T>(std::move(factors.lower), {.unit = true}, options);
  upper_ = RowSolver<T>(std::move(factors.upper), {.upper = true}, options);
}

template <Scalar T>
void IncompleteLu<T>::refactor(std::span<const T> values) {
  if (values.size() != place_.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} values for a matrix of {} entries", values.size(), place_.size()));
  }
  const IncompleteFactors<T> factors = ilu0(spread<T>(pattern_, place_, values));
  lower_.refill(factors.lower.value);
  upper_.refill(factors.upper.value);
}

template <Scalar T>
void IncompleteLu<T>::prepare(Op op, Index nrhs) {
  for (RowSolver<T>* part : {&lower_, &upper_}) part->prepare(op, nrhs);
}

template <Scalar T>
void IncompleteLu<T>::solve(Vectors<const T> b, Vectors<T> x, Op op) {
  RowSolver<T>& first = op == Op::none ? lower_ : upper_;
  RowSolver<T>& second = op == Op::none ? upper_ : lower_;
  first.solve(b, x, op);
  second.solve(x, x, op);
}

#define INSTANTIATE(T)                                         \
  template IncompleteFactors<T> ilu0(const matrix::Csr<T>& a); \
  template class IncompleteLu<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
