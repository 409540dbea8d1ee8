// trisweep himv --object OBJECT --machine M ...: counts launches and predicts times of products with an
// H-matrix, and of iterations of BiCGStab, on the GPUs of a machine, without computing any entry.

#include <fmt/format.h>

#include <array>

#include "apps/bem/conductors.hpp"
#include "command.hpp"
#include "gemv_options.hpp"
#include "numbers.hpp"
#include "outputs.hpp"
#include "refuse.hpp"
#include "studies/himv/himv_record.hpp"
#include "studies/himv/product_prediction.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

using studies::IterationChoice;

struct NamedSchedule {
  std::string_view name;
  IterationChoice::Schedule schedule;
};
constexpr auto schedules = std::to_array<NamedSchedule>({
    {"redundant", IterationChoice::Schedule::redundant},
    {"hierarchical", IterationChoice::Schedule::hierarchical},
    {"distributed", IterationChoice::Schedule::distributed},
});
struct NamedHidden {
  std::string_view name;
  IterationChoice::Hidden hidden;
};
constexpr auto hidden = std::to_array<NamedHidden>({
    {"block", IterationChoice::Hidden::nothing},
    {"pipe1", IterationChoice::Hidden::copies},
    {"pipe2", IterationChoice::Hidden::gathers},
});

struct HimvCommand {
  std::string object, machine, json;
  std::string schedule = "redundant", overlap = "block";
  bem::ObjectOptions shape;
  studies::PredictionOptions options;
  const CLI::App* sub = nullptr;

  int operator()(const Context& context) const {
    mpi::agree_on_error(context.world, [&] {
      check_gemv_options(*sub, options.gemv);
      if (!options.iteration.pipelined)
        refuse(*sub, {"--overlap"}, "BiCGStab that is not pipelined", "add --pipelined");
      if (context.is_root()) predict(context);
    });
    return 0;
  }

  void predict(const Context& context) const {
    require_distinct(std::array<FileOption, 1>{{{"--json", json}}},
                     std::array<FileOption, 1>{{{"--machine", machine}}});
    std::optional<OutputFile> output = open_output(json);
    studies::PredictionOptions chosen = options;
    chosen.iteration.schedule =
        find_named(std::span<const NamedSchedule>(schedules), "schedule", schedule).schedule;
    chosen.iteration.hidden = find_named(std::span<const NamedHidden>(hidden), "overlap", overlap).hidden;
    const bem::Conductors conductors = bem::make_object(object, shape);
    const studies::HimvRecord record{
        .version = version(),
        .object = conductors.name,
        .elements = conductors.mesh.size(),
        .machine = machine,
        .options = chosen,
        .result = studies::predict_product(centroids(conductors.mesh), model::find_machine(machine), chosen)};
    if (output) {
      output->write(studies::to_json(record));
      output->commit();
    }
    context.terminal.print_beside({json}, studies::summary(record));
  }
};

void add_structure_options(CLI::App& sub, HimvCommand& o) {
  sub.add_option("--object", o.object, "Conductor, as in trisweep bem")->required();
  sub.add_option("--n", o.shape.triangles, "Approximate number of triangles")->check(CLI::Range(1, 1 << 30));
  sub.add_option("--eta", o.options.blocks.eta, "Admissibility parameter, as in trisweep bem")
      ->check(check_positive)
      ->capture_default_str();
  sub.add_option("--leaf", o.options.leaf_size, "Leaf size: maximum number of triangles in a leaf cluster")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub.add_option("--rank", o.options.rank, "Assumed rank of admissible blocks")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub.add_option("--block-rows,--strip", o.options.block_rows,
                 "Rows per block of the row partition; 0: blocks are not split")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
}

void add_iteration_options(CLI::App& sub, HimvCommand& o) {
  sub.add_option("--nodes", o.options.processes.nodes, "Number of nodes")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub.add_option("--processes", o.options.processes.of_node, "Processes per node")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  IterationChoice& iteration = o.options.iteration;
  add_gpu_options(sub, o.options.processes.gpus, iteration.way);
  sub.add_flag("--pipelined", iteration.pipelined, "Pipelined BiCGStab");
  sub.add_option("--overlap", o.overlap,
                 "Overlap: none (block), copies (pipe1), or copies and allgathers (pipe2)")
      ->check(CLI::IsMember(names_of(std::span<const NamedHidden>(hidden))))
      ->capture_default_str();
  sub.add_option("--schedule", o.schedule, "Distribution of vector operations")
      ->check(CLI::IsMember(names_of(std::span<const NamedSchedule>(schedules))))
      ->capture_default_str();
  sub.add_flag("--merged-dots", iteration.merged_dots,
               "Merge the inner products of one vector into one product");
  sub.add_flag("--gpu-aware", iteration.gpu_aware, "GPU-aware MPI: messages from and to device memory");
  sub.add_option("--latency", o.options.latency, "Inter-node message latency, instead of the machine's (s)")
      ->check(between(0, 1e3));
}

}  // namespace

void add_himv(CLI::App& app, Run& run) {
  auto command = std::make_shared<HimvCommand>();
  HimvCommand& o = *command;
  CLI::App* sub = app.add_subcommand(
      "himv", "Predict products with an H-matrix and iterations of BiCGStab on the GPUs of a machine");
  o.sub = sub;
  add_structure_options(*sub, o);
  add_gemv_options(*sub, o.options.gemv);
  add_iteration_options(*sub, o);
  sub->add_option("--machine", o.machine, "Machine name (see trisweep machines) or a .json file")
      ->default_val("tsubame3");
  sub->add_option("--json", o.json, "Write the record to this file (JSON)");
  sub->callback([command, &run] { run = *command; });
}

}  // namespace trisweep::cli
