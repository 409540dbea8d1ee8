#pragma once
// A matrix and its factors in a folder: an index (factor_index.hpp), and files of rows and of panels that
// several ranks may have written. Any grid, mapping and number of ranks can solve with them; each rank reads
// its rows and the panels that it applies.

#include <filesystem>
#include <string>

#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/read_rows.hpp"
#include "trisweep/storage/factor_index.hpp"

namespace trisweep::storage {

// Writes `factors` of the matrix whose even blocks of rows, as they were read, are `rows`, into `folder`,
// which appears when complete. Collective: each rank writes a part. Rank 0 passes `folder`, which all ranks
// must see; others pass null. `precision` of the system and its factors: double, float or mixed. Throws
// Error(environment) on every rank if the folder cannot be written, Error(usage) if the blocks are not even.
template <Scalar T>
void save_factors(const mpi::Communicator& comm, OutputFolder* folder, const solve::AnyBlockRows& rows,
                  const std::string& precision, const solve::FactorSources<T>& factors);

// Even blocks of the rows of the matrix in `folder`, as they were saved. Collective. Throws Error(input) on
// every rank where saved_system() does, or where a rank cannot read its rows.
solve::AnyBlockRows load_rows(const mpi::Communicator& comm, const std::filesystem::path& folder);

// The factors in `folder`. Collective: rank 0 reads the index. Each rank reads its own panels when they are
// requested, and errors in them are thrown then. Throws Error(input) on every rank where read_index() or
// require_files() does.
template <Scalar T>
solve::FactorSources<T> load_factors(const mpi::Communicator& comm, const std::filesystem::path& folder);

}  // namespace trisweep::storage
