#pragma once
// The performance figures of a machine by which plans are priced. SI units: seconds, bytes, flops.
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
// and keeps the receiver busy for `receive_overhead`: LogP's o, one for each end, and L (Culler et al. 1993).
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
  // Cost of polling for messages in vain, before each task while some are awaited.
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
  Index workers = 1;  // per rank
  // Workers of a rank that take messages of sweeps: one thread of a process; all units of a GPU, whose blocks
  // poll what they wait for.
  Index receivers = 1;
  Offset grain = plan::grain_of_threads;  // panel entries per task, with several workers
  double worker_bandwidth = 0;            // memory bandwidth of a worker while all others idle
  double memory_bandwidth = 0;            // of a memory, shared by all its computing workers
  double worker_flops = 0;                // of a worker, in small products
  double dgemm_flops = 0;                 // of a worker, in large dense products; 0: not described
  double task_seconds = 0;                // overhead of a task: counters and the queue
  double product_seconds = 0;             // overhead of a product
  double injection_bandwidth = std::numeric_limits<double>::infinity();  // of a node, into the network
  Network two_sided;
  // Set if the machine has such a transport. `shared` is for ranks of one node.
  std::optional<Network> one_sided{};
  std::optional<Network> shared{};
  std::optional<GpuNode> gpu_node{};  // if a process may have several GPUs
  std::vector<Source> sources{};

  bool has(const std::string& transport, Index ranks) const;
  // The network of `transport`. Throws Error(usage) if the machine does not have it for `ranks` ranks.
  const Network& network(const std::string& transport, Index ranks) const;
  // Throws Error(usage) if gpu_node is not set.
  const GpuNode& described_gpu_node() const;
  // Of a worker, between messages and segments: copying reads and writes `bytes`; adding also reads the sum.
  double copying_seconds(double bytes) const { return 2 * bytes / worker_bandwidth; }
  double adding_seconds(double bytes) const { return 3 * bytes / worker_bandwidth; }
  // Adding `terms` vectors to a sum of `bytes`, which stays in registers or in the cache until it is written.
  double summing_seconds(double bytes, Index terms) const {
    return terms == 0 ? 0 : (terms + 2) * bytes / worker_bandwidth;
  }
};

// The networks that a description distinguishes, named after the transport they carry. Messages of all other
// transports travel as two-sided ones.
struct NamedNetwork {
  std::string_view name;
  const Network* (*find)(const Machine& machine, Index ranks);  // null: not available for `ranks` ranks
  Network& (*describe)(Machine& machine);                       // adds it if missing
};
std::span<const NamedNetwork> networks();
std::vector<std::string> described_transports();

// The built-in machines: those of the papers, and a generic one.
std::span<const Machine> machines();

// One of machines(), or the description in a JSON file when `name` ends in ".json". Throws Error(usage)
// listing all names for an unknown name, Error(input) for a file that cannot be read or is not such a
// description.
Machine find_machine(const std::string& name);

// The description as JSON, as in a file. Optional fields that a file omits have the defaults above, except
// that ranks_per_memory is ranks_per_node and `between` is `inside`.
std::string to_json(const Machine& machine);

// The same machine with messages that cost nothing, or with tasks that cost nothing: bounds of any schedule's
// gain.
Machine without_communication(Machine machine);
Machine without_computation(Machine machine);

}  // namespace trisweep::model
