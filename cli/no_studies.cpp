// In place of studies.cpp where TRISWEEP_SOLVE_ONLY builds what solves systems alone.

#include "command.hpp"

namespace trisweep::cli {

void add_studies(CLI::App&, Run&) {}

bool is_left_out(const std::string& command) {
  return command == "bem" || command == "himv" || command == "sptrsv";
}

}  // namespace trisweep::cli
