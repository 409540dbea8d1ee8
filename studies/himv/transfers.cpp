#include "studies/himv/transfers.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace trisweep::studies {
namespace {

constexpr auto table = std::to_array<NamedWay>({{"set", Way::set}, {"copy", Way::copy}, {"peer", Way::peer}});

// Busy time of links in one step, in seconds: of buses in either direction, and of pairs of GPUs.
class Links {
 public:
  Links(const model::GpuNode& node, Way way, double bytes) : node_(node), way_(way), bytes_(bytes) {}

  void carry(const Transfer& t) {
    if (t.from == Transfer::host) {
      to_gpu_[bus_of(t.to)] += bytes_ / node_.to_gpu;
    } else if (t.to == Transfer::host) {
      to_host_[bus_of(t.from)] += bytes_ / node_.to_host;
    } else if (way_ == Way::peer) {
      const auto [low, high] = std::minmax(t.from, t.to);
      pair_[{t.from, t.to}] += bytes_ / (high - low == node_.gpus / 2 ? node_.wide_peer : node_.peer);
    } else {
      to_host_[bus_of(t.from)] += bytes_ / node_.copy;
      to_gpu_[bus_of(t.to)] += bytes_ / node_.copy;
    }
  }
  double busiest() const {
    double most = 0;
    for (const auto* const bus : {&to_host_, &to_gpu_})
      for (const auto& [place, seconds] : *bus) most = std::max(most, seconds);
    for (const auto& [place, seconds] : pair_) most = std::max(most, seconds);
    return most;
  }

 private:
  Index bus_of(Index gpu) const { return gpu / node_.gpus_per_bus; }

  const model::GpuNode& node_;
  Way way_;
  double bytes_;
  std::map<Index, double> to_host_, to_gpu_;  // by bus
  std::map<std::pair<Index, Index>, double> pair_;
};

}  // namespace

std::span<const NamedWay> ways() {
  return table;
}

std::vector<Transfer> local_all_reduce(Way way, Index gpus) {
  std::vector<Transfer> list;
  Index step = 0;
  for (Index g = 1; g < gpus; ++g) {
    if (way == Way::set) {
      // Host memory has room for one vector: each transfer completes before the next (VI-B: not pipelined).
      list.push_back({.from = g, .to = Transfer::host, .step = step++});
      list.push_back({.from = Transfer::host, .to = 0, .adds = true, .step = step++});
    } else {
      list.push_back({.from = g, .to = 0, .adds = true, .step = step});
    }
  }
  list.push_back({.from = 0, .to = Transfer::host, .step = step + 1});
  return list;
}

std::vector<Transfer> local_broadcast(Way way, Index gpus) {
  std::vector<Transfer> list{{.from = Transfer::host, .to = 0}};
  for (Index g = 1; g < gpus; ++g)
    list.push_back(way == Way::set ? Transfer{.from = Transfer::host, .to = g}
                                   : Transfer{.from = 0, .to = g, .step = 1});
  return list;
}

std::vector<Transfer> on_node(const model::GpuNode& node, std::span<const Transfer> of_process,
                              Index processes, Index gpus) {
  const Index buses = node.gpus / node.gpus_per_bus;
  const auto place = [&](Index process, Index gpu) {
    if (gpu == Transfer::host) return gpu;
    const Index bus = process % buses;
    const Index first = bus * node.gpus_per_bus + (process / buses + bus) % node.gpus_per_bus;
    return (first + gpu * (node.gpus / gpus)) % node.gpus;
  };
  std::vector<Transfer> all;
  for (Index p = 0; p < processes; ++p) {
    for (const Transfer& t : of_process)
      all.push_back({.from = place(p, t.from), .to = place(p, t.to), .adds = t.adds, .step = t.step});
  }
  return all;
}

double transfer_seconds(const model::GpuNode& node, std::span<const Transfer> transfers, Way way,
                        double bytes, double memory_bandwidth) {
  std::map<Index, Links> step;
  std::map<Index, double> adding;  // by GPU
  for (const Transfer& t : transfers) {
    step.try_emplace(t.step, node, way, bytes).first->second.carry(t);
    adding[t.to] += t.adds ? 3 * bytes / memory_bandwidth : 0;
  }
  double total = 0;
  for (const auto& [gpu, seconds] : adding) total = std::max(total, seconds);
  for (const auto& [nth, links] : step) total += links.busiest();
  return total;
}

}  // namespace trisweep::studies
