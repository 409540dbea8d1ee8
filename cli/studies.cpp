// The commands beside solving systems, of which no_studies.cpp has none.

#include "command.hpp"

namespace trisweep::cli {

void add_studies(CLI::App& app, Run& run) {
  add_bem(app, run);
  add_himv(app, run);
  add_sptrsv(app, run);
}

bool is_left_out(const std::string&) {
  return false;
}

}  // namespace trisweep::cli
