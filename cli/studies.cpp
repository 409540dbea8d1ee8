// Functions that need the studies and HDF5; no_studies.cpp replaces them in builds without these.

#include "analysis.hpp"
#include "command.hpp"
#include "saved_factors.hpp"
#include "studies/analysis_file.hpp"
#include "trisweep/storage/factor_file.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::cli {

void add_studies(CLI::App& app, Run& run) {
  storage::leave_hdf5_alone_at_exit();
  add_bem(app, run);
  add_factor(app, run);
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

std::string factored_precision(const std::string& folder) {
  return storage::saved_system(folder).precision;
}

solve::AnyBlockRows load_factored_rows(const mpi::Communicator& comm, const std::string& folder) {
  return storage::load_rows(comm, folder);
}

template <Scalar T>
solve::FactorSources<T> load_given_factors(const mpi::Communicator& comm, const std::string& folder) {
  return storage::load_factors<T>(comm, folder);
}

#define INSTANTIATE(T) \
  template solve::FactorSources<T> load_given_factors(const mpi::Communicator&, const std::string&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
