#include "studies/himv/product_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/core/error.hpp"

namespace trisweep::studies {
namespace {

void require_gpus(const model::Machine& machine, const Processes& processes) {
  const Index asked = processes.of_node * processes.gpus;
  if (const Index there = machine.described_gpu_node().gpus; asked > there)
    throw Error(ErrorKind::usage,
                fmt::format("{} GPUs of each node, where {} has {}", asked, machine.name, there),
                "choose fewer --processes or --gpus");
}

// Predicts the product of the process with most values.
void predict_process(const device::GemvTasks& tasks, const model::Machine& machine,
                     const PredictionOptions& options, ProductPrediction& prediction) {
  for (const device::GemvTasks& share : deal_to_devices(tasks, options.gemv, options.processes.gpus)) {
    const LaunchPlan plan = make_launch_plan(share, options.gemv);
    prediction.gemv += count_gemv(plan);
    prediction.product_seconds =
        std::max(prediction.product_seconds, launch_seconds(machine, launches_of(plan, sizeof(double))));
  }
}

}  // namespace

ProductPrediction predict_product(const std::vector<hmatrix::Point>& points, model::Machine machine,
                                  const PredictionOptions& options) {
  require_gpus(machine, options.processes);
  if (options.latency) machine.two_sided.between.latency = *options.latency;
  const hmatrix::ClusterTree tree = hmatrix::make_cluster_tree(points, options.leaf_size);
  const hmatrix::RowBlocks row_blocks =
      hmatrix::make_row_blocks(tree, options.block_rows == 0 ? tree.size() : options.block_rows);
  const std::vector<hmatrix::Block> blocks = hmatrix::make_blocks(tree, options.blocks);
  const ProductLayout structure{tree, blocks, row_blocks, options.rank};
  const std::vector<double> numbers = structure.numbers();
  const std::vector<Index> cut = cut_evenly(numbers, options.processes.count());
  ProductPrediction prediction{.numbers = std::accumulate(numbers.begin(), numbers.end(), 0.0)};
  std::size_t fullest = 0;
  for (std::size_t p = 0; p + 1 < cut.size(); ++p) {
    const double sum = std::accumulate(numbers.begin() + cut[p], numbers.begin() + cut[p + 1], 0.0);
    if (sum > prediction.numbers_max) fullest = p;
    prediction.numbers_max = std::max(prediction.numbers_max, sum);
  }
  predict_process(structure.tasks(cut[fullest], cut[fullest + 1]), machine, options, prediction);
  prediction.least_seconds = double(prediction.gemv.numbers - prediction.gemv.padding) * sizeof(double) /
                             (machine.memory_bandwidth * options.processes.gpus);
  prediction.iteration = iteration_seconds(machine, options.processes, double(points.size()),
                                           prediction.product_seconds, options.iteration);
  return prediction;
}

}  // namespace trisweep::studies
