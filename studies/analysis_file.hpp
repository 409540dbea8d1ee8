#pragma once
// Analyses in HDF5 files (storage/hdf5_file.hpp).

#include "trisweep/core/output_file.hpp"
#include "trisweep/model/saved_analysis.hpp"

namespace trisweep::studies {

// The file appears. Throws Error(environment).
void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file);

// Throws InputError on a file that cannot be read, that is none of these, of another version, or damaged.
model::SavedAnalysis load_analysis(const std::filesystem::path& file);

}  // namespace trisweep::studies
