#pragma once
// Solvers in tests: small factors, and the error of a solve whose solution is known.

#include <mpi.h>

#include <limits>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/watchdog.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::testing_support {

inline std::vector<distribution::ProcessGrid> grids_of(Index ranks) {
  std::vector<distribution::ProcessGrid> grids;
  for (Index pz = 1; pz <= ranks; pz *= 2) {
    for (Index px = 1; px <= ranks; ++px) {
      if (ranks % (px * pz) == 0) grids.push_back({px, ranks / (px * pz), pz});
    }
  }
  return grids;
}

inline Index world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline Index world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// `whole_levels`: of separators that become one supernode each. Without a matching more pivots are delayed.
template <Scalar T>
std::shared_ptr<const solve::Factorization<T>> factored(const matrix::Csr<T>& a, int whole_levels = 0,
                                                        bool matching = true) {
  solve::AnalysisOptions options;
  options.ordering.tree_levels = 3;
  options.ordering.matching = matching;
  options.symbolic.max_width = 6;  // small supernodes: many messages even from a small matrix
  options.symbolic.whole_levels = whole_levels;
  options.symbolic.merge_ranks = 2;
  return std::make_shared<const solve::Factorization<T>>(
      solve::factor<T>(a, std::make_shared<const solve::Analysis>(solve::analyze(a, options))));
}

// op(A) x = b with x known, by the rows of one rank.
template <Scalar T>
struct Problem {
  Op op;
  Index nrhs;
  Index rows;
  std::vector<T> truth;  // rows x nrhs, column-major
  std::vector<T> b;

  Problem(const solve::TriangularSolver<T>& solver, const matrix::Csr<T>& a, Op the_op, Index columns)
      : op(the_op), nrhs(columns), rows(solver.partition().count(solver.comm().rank())) {
    const Index first = solver.partition().first(solver.comm().rank());
    for (Index c = 0; c < nrhs; ++c) {
      const auto x = random_vector<T>(usize(a.rows()), 7 + usize(c));
      std::vector<T> whole(usize(a.rows()));
      matrix::multiply<T>(a, op, x, whole);
      truth.insert(truth.end(), x.begin() + first, x.begin() + first + rows);
      b.insert(b.end(), whole.begin() + first, whole.begin() + first + rows);
    }
  }

  std::vector<T> solve_with(solve::TriangularSolver<T>& solver) const {
    show_life();
    std::vector<T> x(b.size());
    solver.solve(op, {b.data(), rows, nrhs}, {x.data(), rows, nrhs});
    return x;
  }

  // The largest componentwise error on this rank, in units of the precision.
  double error(const std::vector<T>& x) const {
    return largest_difference(x, truth) / std::numeric_limits<RealOf<T>>::epsilon();
  }
};

// The largest componentwise error of the solution of op(A) x = b, given x, in units of the precision.
template <Scalar T>
double solve_error(solve::TriangularSolver<T>& solver, const matrix::Csr<T>& a, Op op, Index nrhs) {
  const Problem<T> problem(solver, a, op, nrhs);
  return solver.comm().max(problem.error(problem.solve_with(solver)));
}

}  // namespace trisweep::testing_support
