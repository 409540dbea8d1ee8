#include "studies/himv/iteration.hpp"

#include <algorithm>

#include "trisweep/model/all_reduce.hpp"

namespace trisweep::studies {
namespace {

constexpr double number = sizeof(double);

// Time of updates and inner products of one iteration if each GPU works on `rows` rows.
double vector_seconds(const model::Machine& m, const Processes& p, double rows,
                      const IterationChoice& choice) {
  const VectorWork work = vector_work(choice.pipelined);
  const model::GpuNode& node = m.described_gpu_node();
  // Several inner products as one product with a tall matrix: the shared vector is read once, by one kernel.
  const Index saved = choice.merged_dots ? work.dots - work.reductions : 0;
  double seconds = (work.vectors_moved - saved) * rows * number / m.memory_bandwidth +
                   (work.kernels - saved) * node.launch_seconds;
  // For each reduction a scalar is copied to the host and back (VI-E: scalars on the CPU).
  seconds += 2 * work.reductions * m.two_sided.inside.latency;
  if (choice.schedule == IterationChoice::Schedule::distributed)
    seconds += work.reductions * model::all_reduce_seconds(m, p.nodes, p.of_node);
  return seconds;
}

double rows_of_gpu(const Processes& p, double n, IterationChoice::Schedule schedule) {
  switch (schedule) {
    case IterationChoice::Schedule::redundant:
      return n;
    case IterationChoice::Schedule::hierarchical:
      return n / p.gpus;
    case IterationChoice::Schedule::distributed:
      break;
  }
  return n / p.count() / p.gpus;
}

// Time that pipe1 and pipe2 hide: at most that of the work that it overlaps with.
double hidden_seconds(const IterationTime& t, const IterationChoice& choice) {
  using Hidden = IterationChoice::Hidden;
  if (!choice.pipelined || choice.hidden == Hidden::nothing) return 0;
  return std::min(choice.hidden == Hidden::copies ? t.local : t.local + t.gather, t.vectors);
}

}  // namespace

double all_gather_seconds(const model::Machine& m, const Processes& p, double bytes_of_all) {
  const double bytes = bytes_of_all / p.count();
  const auto step = [&](const model::Link& link, double bandwidth) {
    return link.latency + link.send_overhead + link.receive_overhead + bytes / bandwidth;
  };
  const double inside = p.of_node > 1 ? step(m.two_sided.inside, m.two_sided.inside.bandwidth) : 0;
  const double between =
      p.nodes > 1 ? step(m.two_sided.between, std::min(m.two_sided.between.bandwidth, m.injection_bandwidth))
                  : 0;
  return (p.count() - 1) * std::max(inside, between);
}

VectorWork vector_work(bool pipelined) {
  // Fig. 2(a): updates of p (3 vectors read, 1 written), x (3, 1) and r (2, 1), dots (r0, v), (t, v), (t, t),
  // (r0, r) and (r, r); Fig. 2(b): p, s, z (3, 1 each), q, y (2, 1 each), x (3, 1), r (2, 1), w (3, 1), and
  // seven dots.
  return pipelined
             ? VectorWork{.vectors_moved = 5 * 4 + 3 * 3 + 7 * 2, .kernels = 15, .dots = 7, .reductions = 2}
             : VectorWork{.vectors_moved = 2 * 4 + 3 + 5 * 2, .kernels = 8, .dots = 5, .reductions = 3};
}

IterationTime iteration_seconds(const model::Machine& m, const Processes& p, double n, double product_seconds,
                                const IterationChoice& choice) {
  const model::GpuNode& node = m.described_gpu_node();
  constexpr int products = 2;
  const double whole = n * number, own = whole / p.count();
  const auto seconds = [&](const std::vector<Transfer>& of_process, double bytes) {
    return transfer_seconds(node, on_node(node, of_process, p.of_node, p.gpus), choice.way, bytes,
                            m.memory_bandwidth);
  };
  double local = seconds(local_all_reduce(choice.way, p.gpus), own) +
                 seconds(local_broadcast(choice.way, p.gpus), whole);
  // Sent directly from and to GPU 0, without copies to and from host memory.
  if (choice.gpu_aware) local = std::max(0.0, local - own / node.to_host - whole / node.to_gpu);
  IterationTime time{.product = products * product_seconds,
                     .local = products * local,
                     .gather = products * all_gather_seconds(m, p, whole),
                     .vectors = vector_seconds(m, p, rows_of_gpu(p, n, choice.schedule), choice)};
  time.hidden = hidden_seconds(time, choice);
  return time;
}

}  // namespace trisweep::studies
