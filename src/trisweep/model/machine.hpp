#pragma once
// What a machine can do, in the numbers that a plan is priced with. SI units: seconds, bytes, flops.
//
// A rank has workers, which run one task at a time each: threads of a CPU process, compute units of a GPU.
// Ranks share memories (of a node or a GPU) and nodes; rank r is on node r / ranks_per_node.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/model/gpu_node.hpp"
#include "trisweep/plan/grain.hpp"

namespace trisweep::model {

// A message of b bytes keeps the sender busy for `send_overhead`, is there `latency` + b / `bandwidth` later,
// and keeps the receiver busy for `receive_overhead`: LogP's o, apart at either end, and L (Culler et al.
// 1993).
struct Link {
  double latency = 0;
  double bandwidth = std::numeric_limits<double>::infinity();
  double send_overhead = 0;
  double receive_overhead = 0;
};

// How one transport's messages travel.
struct Network {
  Link inside;   // between ranks of a node
  Link between;  // between ranks of different nodes
  // Larger messages first ask whether the receiver is ready: two more latencies.
  double eager_bytes = std::numeric_limits<double>::infinity();
  // Of a look for messages that finds none: before each task while some are awaited.
  double look_seconds = 0;
};

struct Source {
  std::string figure;  // which fields
  std::string origin;  // source of the value
};

struct Machine {
  std::string name;
  std::string device;  // "cpu" or "gpu"
  Index ranks_per_node = 1;
  Index ranks_per_memory = 1;
  Index workers = 1;  // of a rank
  // Workers of a rank that take messages of sweeps: one thread of a process; all units of a GPU, whose blocks
  // poll what they wait for.
  Index receivers = 1;
  Offset grain = plan::grain_of_threads;  // panel entries of a task, with several workers
  double worker_bandwidth = 0;            // memory bandwidth of a worker that is alone
  double memory_bandwidth = 0;            // of a memory, shared by all workers at it that compute
  double worker_flops = 0;                // of a worker, in small products
  double dgemm_flops = 0;                 // of a worker, in large dense products; 0: not described
  double task_seconds = 0;                // of a task besides its products: counters and the queue
  double product_seconds = 0;             // of a product besides its panel
  double injection_bandwidth = std::numeric_limits<double>::infinity();  // of a node, into the network
  Network two_sided;
  // Where the machine has them. `shared` is for ranks of one node.
  std::optional<Network> one_sided{};
  std::optional<Network> shared{};
  std::optional<GpuNode> gpu_node{};  // where a process may have several GPUs
  std::vector<Source> sources{};

  bool has(const std::string& transport, Index ranks) const;
  // Throws Error(usage) when the machine does not have it for so many ranks.
  const Network& network(const std::string& transport, Index ranks) const;
  // Throws Error(usage) when it is not described.
  const GpuNode& described_gpu_node() const;
  // Of a worker, between messages and segments: reading and writing what is copied; adding reads once more.
  double copying_seconds(double bytes) const { return 2 * bytes / worker_bandwidth; }
  double adding_seconds(double bytes) const { return 3 * bytes / worker_bandwidth; }
  // To a sum of so many bytes, which stays in registers or in the cache until it is written.
  double summing_seconds(double bytes, Index terms) const {
    return terms == 0 ? 0 : (terms + 2) * bytes / worker_bandwidth;
  }
};

// The networks that a description tells apart, by the transports whose messages they carry. Those of all
// other transports travel as two-sided ones do.
struct NamedNetwork {
  std::string_view name;
  const Network* (*find)(const Machine& machine, Index ranks);  // none: not there for so many ranks
  Network& (*describe)(Machine& machine);                       // makes one where there is none
};
std::span<const NamedNetwork> networks();
std::vector<std::string> described_transports();

// The machines of the papers, by name.
std::span<const Machine> machines();

// One of machines(), or the description in a JSON file when `name` ends in ".json". Throws Error(usage) that
// lists the names there are, InputError on a file that is not such a description.
Machine find_machine(const std::string& name);

// A description as a file has it. Fields that are missing in a file have the defaults above.
std::string to_json(const Machine& machine);

// The same machine with messages that cost nothing, or with tasks that cost nothing: bounds of any schedule's
// gain.
Machine without_communication(Machine machine);
Machine without_computation(Machine machine);

}  // namespace trisweep::model
