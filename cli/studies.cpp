// The commands beside solving systems, of which no_studies.cpp has none.

#include "command.hpp"
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

}  // namespace trisweep::cli
