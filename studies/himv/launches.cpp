#include "studies/himv/launches.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace trisweep::studies {
namespace {

constexpr double threads_of_slot = 256;
constexpr double smallest_share = 0.25;   // of a slot: a multiprocessor holds at most 32 blocks
constexpr double threads_of_best = 1024;  // threads with which a multiprocessor reads as fast as it can

class Slots {
 public:
  explicit Slots(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) free_.push(0);
  }
  // Returns the end of work that is available at `ready` and takes `seconds` and a `share` of a slot.
  double run(double ready, double seconds, double share) {
    const double start = std::max(ready, free_.top());
    free_.pop();
    free_.push(start + share * seconds);
    return start + seconds;
  }

 private:
  std::priority_queue<double, std::vector<double>, std::greater<>> free_;
};

// Time of the launches of one type, with nothing else on the GPU.
double seconds_of_type(const model::Machine& m, std::span<const Launch* const> launches) {
  const model::GpuNode& node = m.described_gpu_node();
  Slots slots(usize(m.workers) * usize(node.resident_blocks));
  std::map<Index, double> stream_end;
  double end = 0, bytes = 0;
  for (const Launch* const launch : launches) {
    double& last = stream_end[launch->stream];
    const double start = last + node.launch_seconds;
    const double share = std::max(launch->threads / threads_of_slot, smallest_share);
    const double bandwidth = m.worker_bandwidth * std::min(1.0, launch->threads / threads_of_best);
    last = start;
    for (const float of_block : launch->bytes) {
      last = std::max(last, slots.run(start, m.task_seconds + double(of_block) / bandwidth, share));
      bytes += double(of_block);
    }
    end = std::max(end, last);
  }
  return std::max(end, bytes / m.memory_bandwidth);
}

}  // namespace

double launch_seconds(const model::Machine& machine, std::span<const Launch> launches) {
  std::map<Index, std::vector<const Launch*>> by_type;
  for (const Launch& launch : launches) by_type[launch.type].push_back(&launch);
  double total = 0;
  for (const auto& [type, list] : by_type) total += seconds_of_type(machine, list);
  return total;
}

}  // namespace trisweep::studies
