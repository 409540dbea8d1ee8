#pragma once
// Factors that a solver begins with, instead of making them: read from a file (storage/factor_file.hpp), or
// made by another library.

#include <memory>
#include <string>

#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// On rank 0; elsewhere empty. Of the caller's matrix, its rows and columns by their numbers in the whole
// matrix. One of the two is set: that of the precision in which the solver's options have the factors.
template <Scalar T>
struct GivenFactors {
  std::shared_ptr<const Factorization<T>> in_full;            // in the matrix's precision
  std::shared_ptr<const Factorization<Single<T>>> in_single;  // in single precision, of a mixed solver
  std::string diagonal = "supernodes";  // what is inverted, as symbolic::diagonals() names it
};
// What all ranks have of the `factors` of rank 0. Collective. Throws as every collective function does.
template <Scalar T>
FactorSources<T> sources_of(const mpi::Communicator& comm, GivenFactors<T> factors);

// A solver's matrix, as its callers gave it, with the factors. On rank 0; elsewhere empty.
template <Scalar T>
struct FactoredSystem {
  matrix::Csr<T> a;         // rows and columns by their numbers in the whole matrix
  GivenFactors<T> factors;  // of it
};

// The factors `of_caller` as those of the system, which has the caller's rows in the order of its ranks and
// in units of its own. `system` outlives them. Its functions throw Error(usage) on every rank when the
// factors have another number of rows.
template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_system(std::shared_ptr<FactorSource<S>> of_caller,
                                                   const LinearSystem<T>& system);
// The reverse: the factors `of_system` as those of the caller's matrix. For rank 0 alone. Throws
// std::bad_alloc alone.
template <Scalar S, Scalar T>
std::shared_ptr<const Factorization<S>> factors_of_caller(const Factorization<S>& of_system,
                                                          const LinearSystem<T>& system);

}  // namespace trisweep::solve
