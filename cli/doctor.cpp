// trisweep doctor: checks the environment of this job's ranks, with advice on what is missing.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "command.hpp"
#include "outputs.hpp"
#include "trisweep/core/buffer.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/instruction_set.hpp"
#include "trisweep/engine/devices.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/report/findings.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/report/text.hpp"
#include "trisweep/version.hpp"

extern "C" __attribute__((weak)) char* openblas_get_config();

namespace trisweep::cli {
namespace {

using report::Finding;

// The ranks and processors of rank 0's node.
struct Node {
  Index ranks;
  Index least_processors;  // fewest processors that a rank may run on
  Index processors;        // of the machine
};

Node node_of(const mpi::Communicator& world, Index processors) {
  const mpi::Communicator node = world.of_node();
  const Offset most = node.max(Offset{processors} - mpi::own_processors());
  return {node.size(), static_cast<Index>(processors - most), processors};
}

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

Finding of_mpi(const mpi::Communicator& world, const report::MachineRecord& machine) {
  int level = 0;
  MPI_Query_thread(&level);
  const char* const name = level >= MPI_THREAD_MULTIPLE     ? "multiple"
                           : level >= MPI_THREAD_SERIALIZED ? "serialized"
                           : level >= MPI_THREAD_FUNNELED   ? "funneled"
                                                            : "single";
  return {"MPI",
          fmt::format("{}, {}, thread level {}", machine.mpi, report::counted(world.size(), "rank"), name),
          level >= MPI_THREAD_SERIALIZED
              ? ""
              : "several threads of a rank need MPI_THREAD_SERIALIZED: use an MPI built with threads"};
}

Finding of_processors(const Node& node, const report::MachineRecord& machine) {
  Finding finding{"processors",
                  fmt::format("{}, {} of them; {} here, on {} or more each", machine.processor,
                              node.processors, report::counted(node.ranks, "rank"), node.least_processors),
                  ""};
  if (node.ranks > node.processors)
    finding.advice = "more ranks than processors take turns: start fewer, or more threads in each";
  else if (node.ranks > 1 && node.least_processors == node.processors)
    finding.advice = "ranks are not pinned: mpirun --bind-to core, or srun --cpu-bind=cores";
  return finding;
}

Finding of_blas() {
  if (openblas_get_config == nullptr)
    return {"BLAS", "not OpenBLAS",
            "its threads cannot be told from here: have it use one (MKL_NUM_THREADS=1)"};
  Finding finding{"BLAS", openblas_get_config(), ""};
  // It names the processor whose kernels OpenBLAS runs: the oldest one if it does not know this processor.
  if (finding.value.find("Prescott") != std::string::npos && instruction_set::x86_64_v3())
    finding.advice = fmt::format(
        "OpenBLAS does not know this processor and runs the kernels of an old one: "
        "export OPENBLAS_CORETYPE={}",
        instruction_set::x86_64_v4() ? "SkylakeX" : "Haswell");
  return finding;
}

Finding of_huge_pages() {
  const std::string state = first_line_of("/sys/kernel/mm/transparent_hugepage/enabled");
  if (state.empty()) return {"huge pages", "unknown", ""};
  return {"huge pages", state,
          state.find("[never]") == std::string::npos
              ? ""
              : "pages of 4 kB cost a third of a sweep's bandwidth: "
                "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

// Measures the bandwidth of reading and writing memory with one thread.
Finding of_memory(const report::MachineRecord& machine) {
  constexpr std::size_t bytes = std::size_t{1} << 27;
  constexpr int rounds = 4;
  auto from = zeros<char>(bytes, "the memory that is measured"),
       to = zeros<char>(bytes, "the memory that is measured");
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    std::memcpy(to.data(), from.data(), bytes);
    best = std::max(best, 2 * double(bytes) / seconds_since(start));
    from[usize(round)] = to[usize(round) + 1];
  }
  return {"memory",
          fmt::format("{:.1f} GB, one thread copies {:.1f} GB/s", machine.memory_bytes / 1e9, best / 1e9),
          ""};
}

// Reports an optional part as ready or with its obstacle, but without advice: not every user wants all parts.
Finding of_choice(const char* kind, std::string_view name, const std::string& obstacle) {
  return {kind,
          fmt::format("{}: {}", name, obstacle.empty() ? "ready" : obstacle.substr(0, obstacle.find('\n'))),
          ""};
}

std::string obstacle_to(engine::Device device) {
  try {
    engine::require_device(device);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<Finding> examine(const mpi::Communicator& world) {
  const report::MachineRecord machine = report::this_machine();
  const Node node = node_of(world, machine.processors);
  std::vector<std::string> obstacles;
  for (const auto& named : mpi::transports()) obstacles.push_back(mpi::obstacle(world, named.name));
  std::vector<Finding> findings;
  mpi::agree_on_error(world, [&] {
    if (world.rank() != 0) return;
    findings = {{"trisweep", fmt::format("{} {}, {}", version(), commit(), build_options()), ""},
                of_mpi(world, machine),
                of_processors(node, machine),
                of_blas(),
                of_huge_pages(),
                of_memory(machine)};
    for (const auto& named : engine::devices())
      findings.push_back(of_choice("device", named.name, obstacle_to(named.device)));
    for (std::size_t t = 0; t < obstacles.size(); ++t)
      findings.push_back(of_choice("transport", mpi::transports()[t].name, obstacles[t]));
  });
  return findings;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  auto json = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand(
      "doctor",
      "Check MPI, pinning, BLAS, memory and devices of this machine, with advice on what is missing");
  sub->add_option("--json", *json, "Write the findings to this file (JSON)");
  sub->callback([json, &run] {
    run = [json](const Context& context) {
      std::optional<OutputFile> output;
      mpi::agree_on_error(context.world, [&] {
        if (context.is_root()) output = open_output(*json);
      });
      const auto findings = examine(context.world);
      mpi::agree_on_error(context.world, [&] {
        if (!output) return;
        output->write(report::to_json(version(), findings));
        output->commit();
      });
      context.terminal.print_beside({*json}, report::summary(findings));
      return 0;
    };
  });
}

}  // namespace trisweep::cli
