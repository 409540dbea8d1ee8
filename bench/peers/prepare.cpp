// peer_prepare A.mtx SYSTEM [as-is]: makes the system that is given to all peers (problem.hpp) from a real
// matrix; as-is: neither permuted nor scaled.

#include <cstdio>
#include <exception>
#include <numeric>
#include <string_view>

#include "problem.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/solve/analysis.hpp"

namespace {

using trisweep::Index;
using trisweep::usize;
using Matrix = trisweep::matrix::Csr<double>;

Matrix read_real(const char* file) {
  auto any = trisweep::matrix::read_matrix(file);
  if (auto* a = std::get_if<Matrix>(&any)) return std::move(*a);
  throw trisweep::Error(trisweep::ErrorKind::usage, std::string(file) + " is complex", "give a real matrix");
}

peers::Problem as_it_is(const Matrix& a, const trisweep::solve::Analysis& analysis) {
  return {.rows = a.rows(),
          .definite = analysis.kind == trisweep::numeric::Kind::cholesky,
          .row_ptr = {a.pattern.row_ptr.begin(), a.pattern.row_ptr.end()},
          .col = a.pattern.col,
          .value = a.value,
          .new_of_old = analysis.ordering.col_new};
}

// Rows are permuted by the matching to their columns, which stay in their original order.
peers::Problem problem_of(const Matrix& a, const trisweep::solve::Analysis& analysis) {
  const auto& order = analysis.ordering;
  std::vector<Index> old_col(usize(a.cols())), matched_row(usize(a.rows())), same(usize(a.cols()));
  for (Index j = 0; j < a.cols(); ++j) old_col[usize(order.col_new[usize(j)])] = j;
  for (Index i = 0; i < a.rows(); ++i) matched_row[usize(i)] = old_col[usize(order.row_new[usize(i)])];
  std::iota(same.begin(), same.end(), Index{0});
  const Matrix b =
      trisweep::matrix::permuted_and_scaled<double>(a, matched_row, same, order.row_scale, order.col_scale);
  return {.rows = b.rows(),
          .definite = analysis.kind == trisweep::numeric::Kind::cholesky,
          .row_ptr = {b.pattern.row_ptr.begin(), b.pattern.row_ptr.end()},
          .col = b.pattern.col,
          .value = b.value,
          .new_of_old = order.col_new};
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_is = argc == 4 && std::string_view(argv[3]) == "as-is";
  if (argc != 3 && !as_is) {
    std::fprintf(stderr, "usage: peer_prepare A.mtx SYSTEM [as-is]\n");
    return 2;
  }
  try {
    const Matrix a = read_real(argv[1]);
    const auto first = std::make_shared<const trisweep::solve::Analysis>(trisweep::solve::analyze(a));
    // Only a factorization shows whether a matrix is definite.
    const auto analysis = trisweep::solve::factor<double>(a, first).analysis;
    peers::write_problem(argv[2], as_is ? as_it_is(a, *analysis) : problem_of(a, *analysis));
    return 0;
  } catch (const trisweep::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.exit_status();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
