#pragma once
// Saves analyses in HDF5 files (storage/hdf5_file.hpp).

#include "trisweep/core/output_file.hpp"
#include "trisweep/model/saved_analysis.hpp"

namespace trisweep::studies {

// Writes the file. Throws Error(environment).
void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file);

// Throws InputError if the file cannot be read, is no saved analysis, has another version, or is damaged.
model::SavedAnalysis load_analysis(const std::filesystem::path& file);

}  // namespace trisweep::studies
