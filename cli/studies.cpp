// What stands on the studies and on HDF5, of which no_studies.cpp has none.

#include "analysis.hpp"
#include "command.hpp"
#include "studies/analysis_file.hpp"
#include "trisweep/hmatrix/hdf5_file.hpp"

namespace trisweep::cli {

void add_studies(CLI::App& app, Run& run) {
  hmatrix::leave_hdf5_alone_at_exit();
  add_bem(app, run);
  add_himv(app, run);
  add_sptrsv(app, run);
}

bool is_left_out(const std::string&) {
  return false;
}

std::optional<OutputFile> open_analysis(const std::string& path) {
  return open_output(path);
}

void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file) {
  studies::save_analysis(analysis, file);
}

model::SavedAnalysis load_analysis(const std::string& path) {
  return studies::load_analysis(path);
}

}  // namespace trisweep::cli
