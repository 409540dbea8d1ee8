// Replaces studies.cpp in builds with TRISWEEP_SOLVE_ONLY, which only solve systems.

#include <fmt/format.h>

#include "analysis.hpp"
#include "command.hpp"
#include "saved_factors.hpp"

namespace trisweep::cli {
namespace {

[[noreturn]] void refuse_file(const char* option) {
  throw Error(ErrorKind::usage,
              fmt::format("this build of trisweep solves systems alone, without HDF5 for {}", option),
              "leave it out, or make the rest by scripts/build");
}

}  // namespace

void add_studies(CLI::App&, Run&) {}

bool is_left_out(const std::string& command) {
  return command == "bem" || command == "factor" || command == "himv" || command == "sptrsv";
}

std::optional<OutputFile> open_analysis(const std::string& path) {
  if (!path.empty()) refuse_file("--save-analysis");
  return std::nullopt;
}

void save_analysis(const model::SavedAnalysis&, OutputFile&) {
  refuse_file("--save-analysis");
}

model::SavedAnalysis load_analysis(const std::string&) {
  refuse_file("--analysis");
}

std::string factored_precision(const std::string&) {
  refuse_file("--factors");
}

solve::AnyBlockRows load_factored_rows(const mpi::Communicator&, const std::string&) {
  refuse_file("--factors");
}

template <Scalar T>
solve::FactorSources<T> load_given_factors(const mpi::Communicator&, const std::string&) {
  refuse_file("--factors");
}

#define INSTANTIATE(T) \
  template solve::FactorSources<T> load_given_factors(const mpi::Communicator&, const std::string&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
