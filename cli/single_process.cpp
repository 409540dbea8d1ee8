#include "single_process.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

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

// What hwloc does not look for while MPI starts: GPUs and displays, by its plugins, and PCI devices.
constexpr std::array<std::pair<const char*, const char*>, 2> not_looked_for{
    {{"HWLOC_PLUGINS_PATH", "/none"}, {"HWLOC_COMPONENTS", "-linux:pci"}}};

}  // namespace

void begin_mpi(int* argc, char*** argv, int thread_support) {
  std::vector<const char*> own;  // processes that this one starts are not told
  if (!has_launcher()) {
    choose_for_single_process();
    for (const auto& [name, value] : not_looked_for) {
      if (std::getenv(name) != nullptr) continue;
      setenv(name, value, 1);
      own.push_back(name);
    }
  }
  int provided = 0;
  MPI_Init_thread(argc, argv, thread_support, &provided);
  for (const char* name : own) unsetenv(name);
}

}  // namespace trisweep::cli
