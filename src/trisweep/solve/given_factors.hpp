#pragma once
// Factors that a solver begins with, instead of making them (FactorSources).

#include <memory>

#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// The factors `of_caller` as those of the system, which has the caller's rows in the order of its ranks and
// in units of its own. Collective. Throws Error(usage) on every rank when the factors have another number of
// rows.
template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_system(const mpi::Communicator& comm,
                                                   std::shared_ptr<FactorSource<S>> of_caller,
                                                   const LinearSystem<T>& system);
// The reverse: the factors `of_system` as those of the caller's matrix. Collective. Throws as
// agree_on_error() does.
template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_caller(const mpi::Communicator& comm,
                                                   std::shared_ptr<FactorSource<S>> of_system,
                                                   const LinearSystem<T>& system);

}  // namespace trisweep::solve
