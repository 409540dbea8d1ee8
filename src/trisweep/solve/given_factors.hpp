#pragma once
// Given factors that a solver starts from (FactorSources).

#include <memory>

#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// Converts factors of the caller's matrix to factors of the system, which has the caller's rows in rank order
// and in its own units. Collective. Throws Error(usage) on every rank when the number of rows differs.
template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_system(const mpi::Communicator& comm,
                                                   std::shared_ptr<FactorSource<S>> of_caller,
                                                   const LinearSystem<T>& system);
// The reverse: converts factors of the system to factors of the caller's matrix. Collective. Throws as
// agree_on_error() does.
template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_caller(const mpi::Communicator& comm,
                                                   std::shared_ptr<FactorSource<S>> of_system,
                                                   const LinearSystem<T>& system);

}  // namespace trisweep::solve
