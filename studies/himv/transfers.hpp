#pragma once
// Copies between the GPUs of one process and the host when each GPU has a part of a product, and the time
// that they take (Yamazaki, Ida, Yokota, Dongarra 2019, VI-A and VI-B).

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/model/gpu_node.hpp"

namespace trisweep::studies {

// Fig. 12: through host memory, from GPU to GPU through the bus, or by direct links.
enum class Way { set, copy, peer };
struct NamedWay {
  std::string_view name;
  Way way;
};
std::span<const NamedWay> ways();

// The whole vector in one memory is copied, or added, to that in another.
struct Transfer {
  static constexpr Index host = -1;
  Index from = host;
  Index to = host;
  bool adds = false;
  Index step = 0;  // transfers of one step are concurrent, after those of earlier steps
};

// Sums the vectors of all GPUs of a process on its GPU 0, and copies the sum to host memory.
std::vector<Transfer> local_all_reduce(Way way, Index gpus);
// Copies a vector from host memory to all GPUs.
std::vector<Transfer> local_broadcast(Way way, Index gpus);

// The same transfers in each of `processes` processes of a node. Their first GPUs are on different buses as
// far as there are enough; if each process has two GPUs, these are joined by a wide link (VI-B).
std::vector<Transfer> on_node(const model::GpuNode& node, std::span<const Transfer> of_process,
                              Index processes, Index gpus);

// Time of transfers of vectors of `bytes` bytes; concurrent transfers share links. Adding reads two vectors
// and writes one.
double transfer_seconds(const model::GpuNode& node, std::span<const Transfer> transfers, Way way,
                        double bytes, double memory_bandwidth);

}  // namespace trisweep::studies
