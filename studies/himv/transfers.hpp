#pragma once
// GPUs of one process: what they copy to each other and to the host's memory when each has a part of a
// product, and how long that takes (Yamazaki, Ida, Yokota, Dongarra 2019, VI-A and VI-B).

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/model/gpu_node.hpp"

namespace trisweep::studies {

// Fig. 12: by way of the host's memory, from GPU to GPU through the bus, or by direct links.
enum class Way { set, copy, peer };
struct NamedWay {
  std::string_view name;
  Way way;
};
std::span<const NamedWay> ways();

// The whole vector of one place becomes, or is added to, that of another.
struct Transfer {
  static constexpr Index host = -1;
  Index from = host;
  Index to = host;
  bool adds = false;
  Index step = 0;  // transfers of one step go together, after those of the steps before
};

// The sum of what all GPUs of a process have, on its GPU 0 and then in the host's memory.
std::vector<Transfer> local_all_reduce(Way way, Index gpus);
// From the host's memory to all of them.
std::vector<Transfer> local_broadcast(Way way, Index gpus);

// The same in each of `processes` of a node, whose first GPUs are at different buses as far as there are any
// (VI-B), and where there are two of each, these are at a wide link.
std::vector<Transfer> on_node(const model::GpuNode& node, std::span<const Transfer> of_process,
                              Index processes, Index gpus);

// Of vectors of `bytes`; what goes together shares links. Adding reads two vectors and writes one.
double transfer_seconds(const model::GpuNode& node, std::span<const Transfer> transfers, Way way,
                        double bytes, double memory_bandwidth);

}  // namespace trisweep::studies
