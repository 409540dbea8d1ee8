#pragma once
// Factors in a folder: an index (factor_index.hpp), and files of panels that several ranks may have written.
// Any grid, mapping and number of ranks can solve with them; each rank reads the panels that it applies.

#include <filesystem>
#include <string>

#include "trisweep/solve/factor_source.hpp"
#include "trisweep/storage/factor_index.hpp"

namespace trisweep::storage {

// Writes `factors` of the matrix `a`, as it was read, into `folder`, which appears when complete. Collective:
// each rank writes a part of them. Rank 0 passes `folder`, which all ranks must see; others pass null, and
// their `a` is ignored. `precision` of the system and its factors: double, float or mixed. Throws
// Error(environment) on every rank if the folder cannot be written.
template <Scalar T>
void save_factors(const mpi::Communicator& comm, OutputFolder* folder, const matrix::AnyCsr& a,
                  const std::string& precision, const solve::FactorSources<T>& factors);

// The factors in `folder`. Collective: rank 0 reads the index. Each rank reads its own panels when they are
// requested, and errors in them are thrown then. Throws Error(input) on every rank where read_index() or
// require_files() does.
template <Scalar T>
solve::FactorSources<T> load_factors(const mpi::Communicator& comm, const std::filesystem::path& folder);

}  // namespace trisweep::storage
