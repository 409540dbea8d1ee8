#include "trisweep/component/virtual_pes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "trisweep/core/crew.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::component {

PeOutcome& PeOutcome::operator+=(const PeOutcome& other) {
  counts += other.counts;
  launches += other.launches;
  seconds += other.seconds;
  idle_seconds += other.idle_seconds;
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

// One PE in one solve.
template <Scalar T>
class VirtualPes<T>::Pe {
 public:
  struct Vectors {
    const T* b;
    T* x;
    Exchanger<T>& exchanger;
    std::vector<T> sum;          // by component: contributions of its own PE
    std::vector<Index> missing;  // how many of them
  };

  Pe(const VirtualPes& all, Index number, Vectors& vectors)
      : all_(all), rows_(all.rows_[usize(number)]), number_(number), vectors_(vectors) {}

  bool done() const { return next_ == rows_.size() && resident_.empty(); }
  const PeOutcome& outcome() const { return outcome_; }
  void wait_until(double seconds) {
    outcome_.idle_seconds += seconds - outcome_.seconds;
    outcome_.seconds = seconds;
  }

  // Whether anything could be solved.
  bool turn() {
    const PeCounts before = outcome_.counts;
    const Offset launched = outcome_.launches;
    launch();
    // All look before any solves: a contribution is seen in the next turn.
    const auto complete = std::ranges::stable_partition(resident_, [&](Index i) { return !is_complete(i); });
    for (const Index i : complete) solve(i);
    resident_.erase(complete.begin(), complete.end());
    const bool moved = outcome_.counts.rows > before.rows;
    const double busy = seconds_at_work(before, outcome_.launches - launched);
    const double waiting = seconds_waiting(before);
    outcome_.seconds += busy + waiting;
    outcome_.idle_seconds += moved ? waiting : busy + waiting;
    return moved;
  }

 private:
  void launch() {
    while (next_ < rows_.size() && std::ssize(resident_) < all_.options_.costs.resident) {
      const Index row = rows_[next_++];
      const Index task = all_.options_.layout.task_of(row, all_.system_.rows());
      if (std::exchange(task_, task) != task) ++outcome_.launches;
      resident_.push_back(row);
    }
  }

  bool is_complete(Index i) {
    ++outcome_.counts.polls;
    return vectors_.exchanger.complete(i, outcome_.counts) && vectors_.missing[usize(i)] == 0;
  }

  void solve(Index i) {
    const LowerSystem<T>& system = all_.system_;
    const Index number = system.number(i);
    T value = vectors_.b[number] - vectors_.sum[usize(i)] - vectors_.exchanger.sum(i, outcome_.counts);
    if (!system.diagonal.empty()) value /= system.diagonal[usize(i)];
    vectors_.x[number] = value;
    ++outcome_.counts.rows;
    for (Offset e = all_.users_.pattern.row_ptr[usize(i)]; e < all_.users_.pattern.row_ptr[usize(i) + 1]; ++e)
      contribute(all_.users_.pattern.col[usize(e)], all_.users_.value[usize(e)] * value);
  }

  void contribute(Index component, T value) {
    ++outcome_.counts.entries;
    if (all_.crossings_.owner[usize(component)] != number_)
      return vectors_.exchanger.contribute(number_, component, value, outcome_.counts);
    vectors_.sum[usize(component)] += value;
    --vectors_.missing[usize(component)];
  }

  double seconds_at_work(const PeCounts& before, Offset launches) const {
    const PeCosts& costs = all_.options_.costs;
    return costs.turn + costs.entry * double(outcome_.counts.entries - before.entries) +
           costs.launch * double(launches);
  }
  // For other memories.
  double seconds_waiting(const PeCounts& before) const {
    const PeCosts& costs = all_.options_.costs;
    const PeCounts& now = outcome_.counts;
    return (now.reads > before.reads ? costs.latency : 0) +
           costs.ordered * double(now.ordered - before.ordered) +
           double(now.bytes - before.bytes) / costs.bandwidth +
           costs.migration * double((now.migrations - before.migrations + costs.batch - 1) / costs.batch);
  }

  const VirtualPes& all_;
  const std::vector<Index>& rows_;
  Index number_;
  Vectors& vectors_;
  std::size_t next_ = 0;
  Index task_ = -1;
  std::vector<Index> resident_;
  PeOutcome outcome_;
};

template <Scalar T>
VirtualPes<T>::VirtualPes(LowerSystem<T> system, const NamedDesign& design, const PeOptions& options)
    : system_(std::move(system)), options_(options), exchange_(design.exchange) {
  if (options.layout.pes < 1 || options.layout.pes > most_pes || options.layout.tasks < 1)
    throw Error(ErrorKind::usage,
                fmt::format("{} PEs with {} tasks each", options.layout.pes, options.layout.tasks),
                fmt::format("ask for 1 to {} PEs, and a task at least", most_pes));
  if (!design.has_tasks) options_.layout.tasks = 1;
  users_ = matrix::transpose(matrix::Csr<T>{system_.below, system_.value});
  std::vector<Index> best;
  double least = 0;
  const std::vector<T> zeros(usize(system_.rows()));
  std::vector<T> x(zeros.size());
  for (PlacementFunction* const assign : design.places) {
    auto pe_of_task = assign(system_.below, options_.layout);
    place(pe_of_task);
    if (design.places.size() == 1) return;
    const double seconds = solve_column(zeros.data(), x.data(), nullptr).seconds;
    if (best.empty() || seconds < least) best = std::move(pe_of_task), least = seconds;
  }
  place(best);
}

template <Scalar T>
void VirtualPes<T>::place(const std::vector<Index>& pe_of_task) {
  const Index n = system_.rows();
  const auto pes = static_cast<std::size_t>(options_.layout.pes);
  crossings_ = {.owner = std::vector<Index>(usize(n)),
                .contributions = std::vector(pes, std::vector<Index>(usize(n)))};
  own_.assign(usize(n), 0);
  rows_.assign(pes, {});
  for (Index i = 0; i < n; ++i) {
    const Index pe = pe_of_task[usize(options_.layout.task_of(i, n))];
    crossings_.owner[usize(i)] = pe;
    rows_[usize(pe)].push_back(i);
    for (const Index j : system_.below.row(i)) {
      const Index from = crossings_.owner[usize(j)];
      ++(from == pe ? own_ : crossings_.contributions[usize(from)])[usize(i)];
    }
  }
}

template <Scalar T>
PeReport VirtualPes<T>::solve_column(const T* b, T* x, Crew* crew) {
  const auto exchanger = make_exchanger<T>(exchange_, crossings_);
  typename Pe::Vectors vectors{b, x, *exchanger, std::vector<T>(own_.size()), own_};
  std::vector<Pe> pes;
  for (Index p = 0; p < options_.layout.pes; ++p) pes.emplace_back(*this, p, vectors);
  if (crew != nullptr) {
    // The others wait for what a PE has contributed, so none goes on when one has failed.
    std::atomic<bool> failed = false;
    crew->run([&](int p) {
      try {
        for (Pe& pe = pes[static_cast<std::size_t>(p)]; !pe.done() && !failed;) {
          if (!pe.turn()) std::this_thread::yield();
        }
      } catch (...) {
        failed = true;
        throw;
      }
    });
  } else {
    const auto clock = [](const Pe& pe) { return pe.outcome().seconds; };
    std::vector<Pe*> running;
    for (Pe& pe : pes) running.push_back(&pe);
    while (std::erase_if(running, [](const Pe* pe) { return pe->done(); }), !running.empty())
      (*std::ranges::min_element(running, {}, [&](const Pe* pe) { return clock(*pe); }))->turn();
  }
  PeReport report;
  for (const Pe& pe : pes) report.seconds = std::max(report.seconds, pe.outcome().seconds);
  for (Pe& pe : pes) {
    pe.wait_until(report.seconds);
    report.pe.push_back(pe.outcome());
  }
  return report;
}

template <Scalar T>
PeReport VirtualPes<T>::solve(Vectors<const T> b, Vectors<T> x) {
  require_fit<T>(b, x, system_.rows());
  PeReport all{.pe = std::vector<PeOutcome>(static_cast<std::size_t>(options_.layout.pes))};
  std::optional<Crew> crew;
  if (options_.pace == Pace::threads) crew.emplace(options_.layout.pes);
  for (Index c = 0; c < b.cols; ++c) {
    const PeReport one = solve_column(b.column(c), x.column(c), crew ? &*crew : nullptr);
    all.seconds += one.seconds;
    for (std::size_t p = 0; p < all.pe.size(); ++p) all.pe[p] += one.pe[p];
  }
  return all;
}

#define INSTANTIATE(T) template class VirtualPes<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::component
