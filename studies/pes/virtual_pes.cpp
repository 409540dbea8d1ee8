#include "studies/pes/virtual_pes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "studies/pes/host_pes.hpp"
#include "studies/pes/pe_warp.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::studies {
namespace {

// One PE in one solve.
template <class T, class Exchange>
class ClockedPe {
 public:
  ClockedPe(const PeView<T>& view, const PeTask<T>& task, Index rows, const PeOptions& options)
      : view_(view), rows_(rows), options_(options), warp_(view, task, {}) {}

  bool done() const { return next_ == view_.components && resident_.empty(); }
  double seconds() const { return outcome_.seconds; }
  // Its outcome when the last PE ended, at `end`.
  PeOutcome outcome(double end) const {
    PeOutcome all = outcome_;
    all.counts = warp_.counts();
    all.idle_seconds += end - all.seconds;
    all.seconds = end;
    return all;
  }

  void turn() {
    const PeCounts before = warp_.counts();
    const Offset launched = outcome_.launches;
    launch();
    // All components are polled before any is solved: a contribution is seen in the next turn.
    const auto complete =
        std::ranges::stable_partition(resident_, [&](Waiting& one) { return !warp_.has_all(one); });
    for (const Waiting& one : complete) warp_.solve(one);
    resident_.erase(complete.begin(), complete.end());
    const double busy = seconds_at_work(before, outcome_.launches - launched);
    const double waiting = seconds_waiting(before);
    outcome_.seconds += busy + waiting;
    outcome_.idle_seconds += warp_.counts().rows > before.rows ? waiting : busy + waiting;
  }

 private:
  using Warp = PeWarp<T, Exchange, backend::HostLanes<1>>;
  using Waiting = typename Warp::Waiting;

  Index resident_warps() const {
    constexpr Index warps_of_block = backend::threads_of_block / slab_rows;
    return options_.costs.workers * Exchange::resident_blocks * warps_of_block;
  }
  void launch() {
    while (next_ < view_.components && std::ssize(resident_) < resident_warps()) {
      const Index task = options_.layout.task_of(view_.component[next_], rows_);
      if (options_.one_stream && task != task_ && !resident_.empty()) return;
      if (std::exchange(task_, task) != task) ++outcome_.launches;
      resident_.push_back(warp_.begin(next_++));
    }
  }

  double seconds_at_work(const PeCounts& before, Offset launches) const {
    const PeCosts& costs = options_.costs;
    return costs.turn + costs.entry * double(warp_.counts().entries - before.entries) +
           costs.launch * double(launches);
  }
  // Time of waiting for memory of other PEs.
  double seconds_waiting(const PeCounts& before) const {
    const PeCosts& costs = options_.costs;
    const PeCounts& now = warp_.counts();
    return (now.reads > before.reads ? costs.latency : 0) +
           costs.ordered * double(now.ordered - before.ordered) +
           double(now.bytes - before.bytes) / costs.bandwidth +
           costs.migration * double((now.migrations - before.migrations + costs.batch - 1) / costs.batch);
  }

  const PeView<T>& view_;
  Index rows_;
  const PeOptions& options_;
  Warp warp_;
  Index next_ = 0;
  Index task_ = -1;
  std::vector<Waiting> resident_;
  PeOutcome outcome_;
};

template <class Exchange, class T>
PeReport run_by_clock(const std::vector<PeView<T>>& views, const PeTask<T>& task, Index rows,
                      const PeOptions& options) {
  std::vector<ClockedPe<T, Exchange>> pes;
  for (const PeView<T>& view : views) pes.emplace_back(view, task, rows, options);
  std::vector<ClockedPe<T, Exchange>*> running;
  for (auto& pe : pes) running.push_back(&pe);
  while (std::erase_if(running, [](const auto* pe) { return pe->done(); }), !running.empty())
    (*std::ranges::min_element(running, {}, [](const auto* pe) { return pe->seconds(); }))->turn();
  PeReport report;
  for (const auto& pe : pes) report.seconds = std::max(report.seconds, pe.seconds());
  for (const auto& pe : pes) report.pe.push_back(pe.outcome(report.seconds));
  return report;
}

template <Scalar T>
PeReport solve_by_clock(const PePrograms<T>& programs, HostPes<T>& pes, const PeOptions& options, const T* b,
                        T* x) {
  using Number = backend::NumberOf<T>;
  pes.reset();
  const PeTask<Number> task{reinterpret_cast<const Number*>(b), reinterpret_cast<Number*>(x)};
  return with_exchange(programs.exchange, [&]<class Exchange>(Exchange) {
    return run_by_clock<Exchange>(pes.views(), task, programs.rows(), options);
  });
}

PeOptions options_of(const NamedDesign& design, PeOptions options) {
  if (!design.has_tasks) options.layout.tasks = 1;
  return options;
}

}  // namespace

PeOutcome& PeOutcome::operator+=(const PeOutcome& other) {
  counts += other.counts;
  launches += other.launches;
  seconds += other.seconds;
  idle_seconds += other.idle_seconds;
  return *this;
}

PeReport& PeReport::operator+=(const PeReport& other) {
  pe.resize(other.pe.size());
  for (std::size_t p = 0; p < pe.size(); ++p) pe[p] += other.pe[p];
  seconds += other.seconds;
  return *this;
}

PeCounts PeReport::total() const {
  PeCounts sum;
  for (const PeOutcome& one : pe) sum += one.counts;
  return sum;
}

double PeReport::idle_share() const {
  double idle = 0;
  for (const PeOutcome& one : pe) idle += one.idle_seconds;
  return seconds > 0 ? idle / (seconds * double(pe.size())) : 0;
}

template <Scalar T>
PePrograms<T> programs_of(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                          const PeOptions& asked) {
  if (asked.layout.pes < 1 || asked.layout.pes > most_pes || asked.layout.tasks < 1)
    throw Error(ErrorKind::usage,
                fmt::format("{} PEs with {} tasks each", asked.layout.pes, asked.layout.tasks),
                fmt::format("ask for 1 to {} PEs, and a task at least", most_pes));
  const PeOptions options = options_of(design, asked);
  const auto users = matrix::transpose(matrix::Csr<T>{system.below, system.value});
  PePrograms<T> best;
  double least = 0;
  const std::vector<T> zeros(usize(system.rows()));
  std::vector<T> x(zeros.size());
  for (PlacementFunction* const place : design.places) {
    auto programs =
        pe_programs(system, users, options.layout, place(system.below, options.layout), design.exchange);
    if (design.places.size() == 1) return programs;
    HostPes<T> pes(programs);
    const double seconds = solve_by_clock(programs, pes, options, zeros.data(), x.data()).seconds;
    if (best.pe.empty() || seconds < least) best = std::move(programs), least = seconds;
  }
  return best;
}

template <Scalar T>
VirtualPes<T>::VirtualPes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                          const PeOptions& options)
    : options_(options_of(design, options)), programs_(programs_of(system, design, options)) {}

template <Scalar T>
PeReport VirtualPes<T>::solve(Vectors<const T> b, Vectors<T> x) {
  require_fit<T>(b, x, programs_.rows());
  HostPes<T> pes(programs_);
  PeReport all{.pe = std::vector<PeOutcome>(programs_.pe.size())};
  for (Index c = 0; c < b.cols; ++c)
    all += solve_by_clock(programs_, pes, options_, b.column(c), x.column(c));
  return all;
}

#define INSTANTIATE(T)          \
  template class VirtualPes<T>; \
  template PePrograms<T> programs_of(const sptrsv::LowerSystem<T>&, const NamedDesign&, const PeOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
