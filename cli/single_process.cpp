#include "single_process.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>

namespace trisweep::cli {
namespace {

// Looks for variables that the launchers of Open MPI, PMIx, and PMI-1 and 2 (srun, hydra) set for a rank.
bool has_launcher() {
  constexpr std::array told{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"};
  return std::ranges::any_of(told, [](const char* name) { return std::getenv(name) != nullptr; });
}

void choose_for_single_process() {
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  std::error_code unknown;
  const auto temporary = std::filesystem::temp_directory_path(unknown);
  if (unknown) return;
  // A process id is not unique: machines and containers may share the folder of temporary files.
  std::random_device random;
  const auto own = temporary / fmt::format("trisweep-mpi.{}.{:08x}{:08x}", getpid(), random(), random());
  setenv("OMPI_MCA_orte_top_session_dir", own.c_str(), 0);
}

}  // namespace

void begin_mpi(int* argc, char*** argv, int thread_support) {
  constexpr const char* plugins = "HWLOC_PLUGINS_PATH";
  const bool is_single = !has_launcher();
  const bool without_plugins = is_single && std::getenv(plugins) == nullptr;
  if (is_single) choose_for_single_process();
  if (without_plugins) setenv(plugins, "/none", 0);
  int provided = 0;
  MPI_Init_thread(argc, argv, thread_support, &provided);
  if (without_plugins) unsetenv(plugins);
}

}  // namespace trisweep::cli
