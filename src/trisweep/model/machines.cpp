// The machines of the papers. Every figure has its source in `sources`: what a paper gives, else what the
// vendor or the site publishes, else an estimate, which is called one. Of published peak bandwidths of
// memories a fixed part counts as achievable; papers that measured it are followed instead.

#include "trisweep/model/machine.hpp"

namespace trisweep::model {
namespace {

constexpr double us = 1e-6, ns = 1e-9, gb = 1e9, gflop = 1e9;
constexpr double cpu_stream = 0.8;       // of peak: what STREAM reaches on server processors
constexpr double gpu_stream = 0.85;      // of peak HBM bandwidth
constexpr double small_products = 0.25;  // of peak flops

const Source achievable_cpu{"memory_bandwidth", "estimate: 0.8 of the peak is reached by streams"};
const Source achievable_gpu{"memory_bandwidth", "estimate: 0.85 of the peak is reached by streams"};
const Source core_estimates{"worker_bandwidth, worker_flops, task_seconds, product_seconds",
                            "estimates: a core alone reaches several times its share of the bandwidth, small "
                            "products a quarter of its peak flops; bookkeeping twice what `trisweep machines "
                            "--measure` finds on a core of the 2020s, more on slower ones"};
const Source unit_estimates{
    "worker_bandwidth, worker_flops, task_seconds",
    "estimates: a compute unit alone reaches twice its share of the bandwidth, small "
    "products a quarter of its peak flops; a microsecond to start a block and to poll"};
const Source split{"two_sided, one_sided: how a latency splits into overheads",
                   "estimate: about a quarter at either end"};

// For ranks of which nothing is known: no machine in particular.
Machine generic() {
  Machine m{
      .name = "generic",
      .device = "cpu",
      .ranks_per_node = 64,
      .ranks_per_memory = 32,
      .worker_bandwidth = 12 * gb,
      .memory_bandwidth = 160 * gb,
      .worker_flops = 8 * gflop,
      .task_seconds = 60 * ns,
      .product_seconds = 40 * ns,
      .injection_bandwidth = 12 * gb,
      .two_sided = {.inside = {0.3 * us, 8 * gb, 0.2 * us, 0.2 * us},
                    .between = {1.2 * us, 12 * gb, 0.4 * us, 0.4 * us},
                    .eager_bytes = 8192},
      .sources = {{"everything",
                   "round numbers of the order of a server of two sockets in the 2020s and its network; "
                   "which transport is faster is not known, they are taken to be alike"}}};
  m.one_sided = m.shared = m.two_sided;
  return m;
}

Machine cori_haswell() {
  return {.name = "cori-haswell",
          .device = "cpu",
          .ranks_per_node = 32,
          .ranks_per_memory = 16,
          .worker_bandwidth = 10 * gb,
          .memory_bandwidth = cpu_stream * 68 * gb,
          .worker_flops = small_products * 36.8 * gflop,
          .task_seconds = 80 * ns,
          .product_seconds = 50 * ns,
          .injection_bandwidth = 8 * gb,
          .two_sided = {.inside = {0.3 * us, 5 * gb, 0.2 * us, 0.2 * us},
                        .between = {1.0 * us, 8 * gb, 0.4 * us, 0.4 * us},
                        .eager_bytes = 8192},
          .one_sided = Network{.inside = {0.2 * us, 5 * gb, 0.1 * us, 0.1 * us},
                               .between = {0.7 * us, 8 * gb, 0.2 * us, 0.1 * us},
                               .flushed = true},
          .sources = {{"ranks_per_node", "SC'23 4.1, 2018 4: two sockets of 16 cores, E5-2698 v3, 2.3 GHz"},
                      {"worker_flops", "NERSC, Cori configuration: 36.8 Gflop/s a core, peak"},
                      {"memory_bandwidth", "Intel, E5-2698 v3: 68 GB/s a socket, peak"},
                      {"latency",
                       "NERSC, Cori configuration: 0.25 us to 3.7 us for MPI on Aries, inside a node to "
                       "the farthest; 1.8 us between nodes is in the middle"},
                      {"bandwidth, injection_bandwidth", "NERSC, Cori configuration: about 8 GB/s for MPI"},
                      {"eager_bytes", "Cray MPI's default"},
                      {"one_sided",
                       "estimate, from the poster's ratio: foMPI's round trip is a third of "
                       "two-sided MPI's on KNL; a fast core has less to gain"},
                      achievable_cpu,
                      core_estimates,
                      split}};
}

Machine cori_knl() {
  return {
      .name = "cori-knl",
      .device = "cpu",
      .ranks_per_node = 64,
      .ranks_per_memory = 64,
      .worker_bandwidth = 8 * gb,
      .memory_bandwidth = 400 * gb,
      .worker_flops = small_products * 0.5 * 44.8 * gflop,
      .task_seconds = 250 * ns,
      .product_seconds = 150 * ns,
      .injection_bandwidth = 8 * gb,
      .two_sided = {.inside = {0.6 * us, 2 * gb, 0.6 * us, 0.6 * us},
                    .between = {1.5 * us, 8 * gb, 1.1 * us, 1.0 * us},
                    .eager_bytes = 8192},
      .one_sided = Network{.inside = {0.3 * us, 2 * gb, 0.2 * us, 0.1 * us},
                           .between = {0.8 * us, 8 * gb, 0.3 * us, 0.1 * us},
                           .flushed = true},
      .sources = {{"ranks_per_node", "NERSC, Cori configuration: 68 cores at 1.4 GHz, of which 64 are used"},
                  {"worker_flops",
                   "Intel: 32 flops a cycle and core at 1.4 GHz, peak; half of it for "
                   "products with one vector, estimate"},
                  {"memory_bandwidth", "Intel, STREAM triad on Xeon Phi x200: above 400 GB/s from MCDRAM"},
                  {"two_sided",
                   "NERSC, Cori configuration: up to 3.7 us for MPI on Aries; the slow cores "
                   "have the upper end"},
                  {"one_sided",
                   "poster: on 16 KNL nodes foMPI one-sided beats Cray two-sided MPI by 3x "
                   "(and Cray one-sided MPI by 8x), round trip"},
                  {"bandwidth, injection_bandwidth", "NERSC, Cori configuration: about 8 GB/s for MPI"},
                  core_estimates,
                  split}};
}

Machine perlmutter_cpu() {
  return {.name = "perlmutter-cpu",
          .device = "cpu",
          .ranks_per_node = 128,
          .ranks_per_memory = 64,
          .worker_bandwidth = 20 * gb,
          .memory_bandwidth = cpu_stream * 204.8 * gb,
          .worker_flops = small_products * 39.2 * gflop,
          .task_seconds = 60 * ns,
          .product_seconds = 40 * ns,
          .injection_bandwidth = 25 * gb,
          .two_sided = {.inside = {0.3 * us, 8 * gb, 0.15 * us, 0.15 * us},
                        .between = {1.3 * us, 22 * gb, 0.3 * us, 0.4 * us},
                        .eager_bytes = 16384},
          .one_sided = Network{.inside = {0.2 * us, 8 * gb, 0.1 * us, 0.1 * us},
                               .between = {1.2 * us, 22 * gb, 0.2 * us, 0.1 * us},
                               .flushed = true},
          .sources = {{"ranks_per_node", "NERSC: two EPYC 7763 of 64 cores"},
                      {"memory_bandwidth", "AMD, EPYC 7763: 204.8 GB/s a socket, peak"},
                      {"worker_flops", "AMD, EPYC 7763: 16 flops a cycle at 2.45 GHz, peak"},
                      {"injection_bandwidth", "HPE, Slingshot 11: 200 Gb/s a network interface"},
                      {"latency, bandwidth, overheads", "estimates: about 2 us for MPI between nodes"},
                      achievable_cpu,
                      core_estimates,
                      split}};
}

// A GPU is a rank; its units share its own memory.
Machine gpus(std::string name, Index per_node, Index units, double bandwidth, double flops) {
  return {.name = std::move(name),
          .device = "gpu",
          .ranks_per_node = per_node,
          .ranks_per_memory = 1,
          .workers = units,
          .worker_bandwidth = 2 * bandwidth / units,
          .memory_bandwidth = bandwidth,
          .worker_flops = small_products * flops / units,
          .task_seconds = 1 * us,
          .product_seconds = 0};
}

// Messages that the GPU starts itself, into another's memory; two-sided ones go through the CPU.
void connect(Machine& m, double inside, double between, double injection) {
  m.injection_bandwidth = injection;
  m.one_sided = Network{.inside = {0.8 * us, inside, 0.3 * us, 0.2 * us},
                        .between = {3 * us, between, 0.5 * us, 0.2 * us}};
  m.two_sided = {.inside = {5 * us, inside, 2 * us, 2 * us}, .between = {7 * us, between, 2 * us, 2 * us}};
  m.sources.push_back({"latency, overheads",
                       "estimates: a microsecond over a direct link and three over the "
                       "network when the GPU starts it; ten by way of the CPU"});
  m.sources.push_back(unit_estimates);
}

Machine perlmutter_gpu() {
  Machine m = gpus("perlmutter-gpu", 4, 108, gpu_stream * 1555 * gb, 9.7e3 * gflop);
  m.sources = {
      {"ranks_per_node", "SC'23 4.2: 4 A100 a node"},
      {"memory_bandwidth, workers, worker_flops",
       "NVIDIA, A100 40 GB: 1555 GB/s, 108 units, 9.7 Tflop/s double precision, peaks"},
      {"bandwidth, injection_bandwidth",
       "SC'23 4.2.2: 300 GB/s inside a node and 12.5 GB/s between nodes, per direction and GPU, peak"},
      achievable_gpu};
  connect(m, 300 * gb, 12.5 * gb, 50 * gb);
  return m;
}

Machine crusher() {
  Machine m = gpus("crusher", 8, 110, gpu_stream * 1638 * gb, 23.9e3 * gflop);
  m.sources = {{"ranks_per_node", "SC'23, artifact: 4 MI250X a node, 8 compute dies; a die is a rank"},
               {"memory_bandwidth, workers, worker_flops",
                "AMD, MI250X: 3277 GB/s, 220 units and 47.9 Tflop/s double precision on two dies, peaks"},
               {"bandwidth inside", "AMD, MI250: 50 GB/s a link between dies of different GPUs, peak"},
               {"bandwidth between", "SC'23, artifact: Slingshot with 25 GB/s; OLCF: 4 of them a node"},
               achievable_gpu};
  connect(m, 50 * gb, 25 * gb, 100 * gb);
  return m;
}

const Source v100{"memory_bandwidth, workers, worker_flops",
                  "NVIDIA, V100 SXM2: 900 GB/s, 80 units, 7.8 Tflop/s double precision, peaks"};

Machine dgx_1() {
  Machine m = gpus("dgx-1", 8, 80, gpu_stream * 900 * gb, 7.8e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth inside",
                "zero-copy paper, VI: 8 V100, NVLinks with 64 GB/s at most between GPUs"},
               v100,
               achievable_gpu};
  connect(m, 64 * gb, 12.5 * gb, 50 * gb);
  m.sources.push_back({"bandwidth between", "NVIDIA, DGX-1: 4 InfiniBand EDR interfaces of 100 Gb/s"});
  return m;
}

Machine dgx_2() {
  Machine m = gpus("dgx-2", 16, 80, gpu_stream * 900 * gb, 7.8e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth inside",
                "zero-copy paper, VI: 16 V100 all to all through NVSwitch with about 100 GB/s"},
               v100,
               achievable_gpu};
  connect(m, 100 * gb, 12.5 * gb, 100 * gb);
  m.sources.push_back({"bandwidth between", "NVIDIA, DGX-2: 8 InfiniBand EDR interfaces of 100 Gb/s"});
  return m;
}

const Source p100{"memory_bandwidth, worker_flops",
                  "H-matrix paper, IV: 495 GB/s measured (732 GB/s peak), 4.7 Tflop/s double precision"};
const Source p100_units{"workers", "NVIDIA, P100: 56 units"};

Machine tsubame3() {
  Machine m = gpus("tsubame3", 4, 56, 495 * gb, 4.7e3 * gflop);
  m.sources = {
      {"ranks_per_node, bandwidth between", "H-matrix paper, IV: 4 P100 a node, Omni-Path with 4 x 100 Gb/s"},
      {"bandwidth inside", "H-matrix paper, IV: one NVLink (20 GB/s) between most pairs of GPUs"},
      p100,
      p100_units};
  connect(m, 20 * gb, 12.5 * gb, 50 * gb);
  return m;
}

Machine reedbush_h() {
  Machine m = gpus("reedbush-h", 2, 56, 495 * gb, 4.7e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth",
                "H-matrix paper, IV: 2 P100 a node, NVLink 2 x 20 GB/s, InfiniBand FDR 2 x 56 Gb/s"},
               p100,
               p100_units};
  connect(m, 40 * gb, 7 * gb, 14 * gb);
  return m;
}

}  // namespace

std::span<const Machine> machines() {
  static const std::vector<Machine> table{cori_haswell(), cori_knl(), perlmutter_cpu(), perlmutter_gpu(),
                                          crusher(),      dgx_1(),    dgx_2(),          tsubame3(),
                                          reedbush_h(),   generic()};
  return table;
}

}  // namespace trisweep::model
