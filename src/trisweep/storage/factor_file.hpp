#pragma once
// Factors in a folder: an index (factor_index.hpp), and files of panels that several ranks may have written.
// Any grid, mapping and number of ranks solves with them; each rank reads what it applies.

#include <filesystem>
#include <string>

#include "trisweep/solve/factor_source.hpp"
#include "trisweep/storage/factor_index.hpp"

namespace trisweep::storage {

// Writes `factors`, of the matrix `a` as it was read, into `folder`, which appears. Collective: each rank
// writes a part of them. `folder` is rank 0's, and all ranks must see it; elsewhere it is null, and `a` is
// ignored. `precision`: of the system and its factors, by name: double, float or mixed. Throws
// Error(environment) on every rank when it cannot be written.
template <Scalar T>
void save_factors(const mpi::Communicator& comm, OutputFolder* folder, const matrix::AnyCsr& a,
                  const std::string& precision, const solve::FactorSources<T>& factors);

// The factors in `folder`. Collective: rank 0 reads the index, and where panels are asked for each rank its
// own, whose errors are thrown then. Throws Error(input) on every rank where read_index() does.
template <Scalar T>
solve::FactorSources<T> load_factors(const mpi::Communicator& comm, const std::filesystem::path& folder);

}  // namespace trisweep::storage
