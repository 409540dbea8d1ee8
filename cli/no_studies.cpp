// In place of studies.cpp where TRISWEEP_SOLVE_ONLY builds what solves systems alone.

#include <fmt/format.h>

#include "analysis.hpp"
#include "command.hpp"

namespace trisweep::cli {
namespace {

[[noreturn]] void refuse_analysis(const char* option) {
  throw Error(ErrorKind::usage,
              fmt::format("this build of trisweep solves systems alone, without HDF5 for {}", option),
              "leave it out, or make the rest by scripts/build");
}

}  // namespace

void add_studies(CLI::App&, Run&) {}

bool is_left_out(const std::string& command) {
  return command == "bem" || command == "himv" || command == "sptrsv";
}

std::optional<OutputFile> open_analysis(const std::string& path) {
  if (!path.empty()) refuse_analysis("--save-analysis");
  return std::nullopt;
}

void save_analysis(const model::SavedAnalysis&, OutputFile&) {
  refuse_analysis("--save-analysis");
}

model::SavedAnalysis load_analysis(const std::string&) {
  refuse_analysis("--analysis");
}

}  // namespace trisweep::cli
