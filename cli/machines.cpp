// trisweep machines: lists the machines that plans can be priced on, and measures this one.

#include <fmt/format.h>

#include <array>

#include "command.hpp"
#include "outputs.hpp"
#include "trisweep/measure/machine.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::cli {
namespace {

using model::Link;
using model::Machine;

struct MachinesCommand {
  std::string name;
  std::string json;
  bool measure = false;
};

std::string rate(double per_second, const char* unit) {
  return std::isfinite(per_second) ? fmt::format("{:.4g} G{}/s", per_second * 1e-9, unit) : "unbounded";
}

std::string describe(const Link& link) {
  return fmt::format("{:.2f} + {:.2f} + {:.2f} us, {}", link.send_overhead * 1e6, link.latency * 1e6,
                     link.receive_overhead * 1e6, rate(link.bandwidth, "B"));
}

// Messages are described by the sender's overhead, the latency and the receiver's overhead.
std::string describe(const Machine& m) {
  std::string text = fmt::format("{} ({})\n", m.name, m.device);
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<20} {}\n", name, value);
  };
  line("ranks",
       fmt::format("{} a node, {} a memory, {} at once in each", m.ranks_per_node, m.ranks_per_memory,
                   m.workers == 1 ? "1 task" : fmt::format("{} tasks", m.workers)));
  line("memory", fmt::format("{}; {} for a worker alone", rate(m.memory_bandwidth, "B"),
                             rate(m.worker_bandwidth, "B")));
  line("small products",
       fmt::format("{} a worker; {:.0f} ns a task, {:.0f} ns a product", rate(m.worker_flops, "flop"),
                   m.task_seconds * 1e9, m.product_seconds * 1e9));
  if (m.dgemm_flops > 0) line("large products", fmt::format("{} a worker", rate(m.dgemm_flops, "flop")));
  line("two-sided, inside", describe(m.two_sided.inside));
  line("two-sided, between", describe(m.two_sided.between));
  if (m.one_sided) {
    line("one-sided, inside", describe(m.one_sided->inside));
    line("one-sided, between", describe(m.one_sided->between));
  }
  if (m.shared) line("shared", describe(m.shared->inside));
  line("node's interface", rate(m.injection_bandwidth, "B"));
  for (const model::Source& source : m.sources)
    text += fmt::format("  - {}: {}\n", source.figure, source.origin);
  return text;
}

std::string describe_all() {
  std::string text = "Messages: overhead of the sender + latency + overhead of the receiver, bandwidth.\n";
  for (const Machine& m : model::machines()) text += "\n" + describe(m);
  return text;
}

int machines(const Context& context, const MachinesCommand& command) {
  std::optional<OutputFile> json;
  mpi::agree_on_error(context.world, [&] {
    if (!command.json.empty() && command.name.empty() && !command.measure) {
      throw Error(ErrorKind::usage, "--json writes one machine, and none is chosen",
                  "name one, or give --measure");
    }
    require_distinct(std::array<FileOption, 1>{{{"--json", command.json}}},
                     std::array<FileOption, 1>{{{"name", command.name}}});
    if (context.is_root()) json = open_output(command.json);
  });
  std::optional<Machine> chosen;
  if (command.measure) {
    const report::MachineRecord here = report::this_machine();
    chosen = measure::measure_machine(context.world, {.name = here.host, .processor = here.processor});
  }
  mpi::agree_on_error(context.world, [&] {
    if (!command.measure && !command.name.empty()) chosen = model::find_machine(command.name);
    if (!json) return;
    json->write(model::to_json(*chosen));
    json->commit();
  });
  context.terminal.print_beside({command.json}, chosen ? describe(*chosen) : describe_all());
  return 0;
}

}  // namespace

void add_machines(CLI::App& app, Run& run) {
  auto command = std::make_shared<MachinesCommand>();
  CLI::App* sub = app.add_subcommand("machines", "List the machine descriptions known to the model");
  auto* name = sub->add_option("name", command->name, "Show one machine only: a name, or a .json file");
  sub->add_flag("--measure", command->measure, "Measure this machine; under mpirun, with two ranks or more")
      ->excludes(name);
  sub->add_option("--json", command->json, "Write the description to this file, for --machine");
  sub->callback(
      [command, &run] { run = [command](const Context& context) { return machines(context, *command); }; });
}

}  // namespace trisweep::cli
