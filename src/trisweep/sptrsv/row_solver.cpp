#include "trisweep/sptrsv/row_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <ranges>
#include <thread>

#include "trisweep/core/cache_line.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/progress_count.hpp"
#include "trisweep/sptrsv/packed_rows.hpp"

namespace trisweep::sptrsv {
namespace {

// Number of blocks that a thread has completed in all solves so far, in a cache line of its own.
struct alignas(cache_line) Progress {
  ProgressCount<std::atomic<Offset>> blocks;
};

void wait_for(const Progress& progress, Offset blocks) {
  constexpr int looks = 2000;  // afterwards yields, since the other thread may need this processor
  for (int look = 0; !progress.blocks.reached(blocks); ++look) {
    if (look >= looks) std::this_thread::yield();
  }
}

// Calls work(thread) on all threads; if only the caller's thread has rows, only on that one.
template <class Work>
void run_threads(ThreadPool& pool, const RowSchedule& schedule, const Work& work) {
  const auto has_rows = [](const ThreadSchedule& thread) { return !thread.row.empty(); };
  if (std::ranges::none_of(schedule | std::views::drop(1), has_rows)) return work(0);
  pool.run(std::cref(work));  // by reference: a copy would allocate
}

}  // namespace

template <Scalar T>
struct RowSolver<T>::Prepared {
  RowSchedule schedule;
  Choice choice;
  std::vector<PackedRows<T>> rows;  // by thread
};

template <Scalar T>
struct RowSolver<T>::Running {
  explicit Running(int threads) : pool(threads), progress(usize(threads)), before(usize(threads)) {}
  ThreadPool pool;
  std::vector<Progress> progress;  // by thread
  std::vector<Offset> before;      // the progress when the solve began
  std::vector<T> work;             // row-major right-hand sides
};

template <Scalar T>
RowSolver<T>::RowSolver(matrix::Csr<T> a, Form form, const RowSolverOptions& options)
    : a_(std::move(a)), form_(form), options_(options) {
  if (options.threads < 1) throw Error(ErrorKind::usage, "a solve needs at least one thread");
  if (options.algorithm != automatic) find_algorithm(options.algorithm);
  matrix::require_consistent(a_);
  running_ = std::make_unique<Running>(options.threads);
}
template <Scalar T>
RowSolver<T>::~RowSolver() = default;
template <Scalar T>
RowSolver<T>::RowSolver(RowSolver&&) noexcept = default;
template <Scalar T>
RowSolver<T>& RowSolver<T>::operator=(RowSolver&&) noexcept = default;

template <Scalar T>
auto RowSolver<T>::prepared(Op op) -> const Prepared& {
  auto& place = prepared_[op];
  if (place) return *place;
  const LowerSystem<T> system = lower_system(a_, form_, op);
  auto [schedule, choice] = choose(system.below, options_, running_->pool);
  std::vector<PackedRows<T>> rows = packed(system, schedule);
  place = std::make_unique<Prepared>(std::move(schedule), std::move(choice), std::move(rows));
  return *place;
}

// Each thread packs its own rows.
template <Scalar T>
auto RowSolver<T>::packed(const LowerSystem<T>& system, const RowSchedule& schedule)
    -> std::vector<PackedRows<T>> {
  std::vector<PackedRows<T>> rows(schedule.size());
  const bool inverted = has_inverses(system);
  run_threads(running_->pool, schedule, [&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    rows[t] = PackedRows<T>(system, schedule[t], inverted);
  });
  return rows;
}

template <Scalar T>
void RowSolver<T>::prepare(Op op, Index nrhs) {
  prepared(op);
  make_room(nrhs);
}

template <Scalar T>
void RowSolver<T>::make_room(Index nrhs) {
  if (nrhs > 1) running_->work.resize(std::max(running_->work.size(), usize(a_.rows()) * many_columns));
}

template <Scalar T>
void RowSolver<T>::refill(std::span<const T> values) {
  if (values.size() != a_.value.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} values for a matrix of {} entries", values.size(), a_.value.size()));
  }
  matrix::Csr<T> other{.pattern = a_.pattern, .value = {values.begin(), values.end()}};
  std::map<Op, std::vector<PackedRows<T>>> rows;
  for (const auto& [op, prepared] : prepared_) {
    rows[op] = packed(lower_system(other, form_, op), prepared->schedule);
  }
  a_ = std::move(other);
  for (auto& [op, of_threads] : rows) prepared_.at(op)->rows = std::move(of_threads);
}

// Calls solve(rows) for every block after its waits. Counts continue from solve to solve, so that nothing is
// cleared: all threads have completed the previous solve.
template <Scalar T>
template <class Solve>
void RowSolver<T>::run(const Prepared& prepared, const Solve& solve) {
  std::vector<Progress>& progress = running_->progress;
  std::vector<Offset>& before = running_->before;
  for (std::size_t t = 0; t < before.size(); ++t) before[t] = progress[t].blocks.own();
  const auto work = [&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    const ThreadSchedule& mine = prepared.schedule[t];
    Index wait = 0;
    for (std::size_t b = 0; b < mine.block.size(); ++b) {
      for (; wait < mine.block[b].wait_end; ++wait) {
        const Wait& w = mine.wait[usize(wait)];
        wait_for(progress[usize(w.thread)], before[usize(w.thread)] + w.blocks);
      }
      solve(prepared.rows[t].block(mine, b));
      progress[t].blocks.set(before[t] + static_cast<Offset>(b) + 1);
    }
  };
  run_threads(running_->pool, prepared.schedule, work);
}

// Solves for the first right-hand sides, at most `columns`; returns their number.
template <Scalar T>
template <int columns>
Index RowSolver<T>::solve_columns(const Prepared& prepared, Vectors<const T> b, Vectors<T> x) {
  const Index count = std::min<Index>(columns, b.cols);
  T* const work = running_->work.data();
  const auto for_entries = [&](const auto& move) {
    running_->pool.run([&](int thread) {
      const auto [begin, end] = running_->pool.part(thread, usize(a_.rows()), some_columns);
      for (std::size_t first = begin; first < end; first += some_columns) {
        for (Index c = 0; c < count; ++c) {
          for (std::size_t i = first; i < std::min(first + some_columns, end); ++i)
            move(static_cast<Index>(i), c, work[i * columns + usize(c)]);
        }
      }
    });
  };
  for_entries([&](Index i, Index c, T& entry) { entry = b.column(c)[i]; });
  run(prepared, [&](const RowRange<T>& rows) { TRISWEEP_BEST_ISA(solve_several<T, columns>)(rows, work); });
  for_entries([&](Index i, Index c, const T& entry) { x.column(c)[i] = entry; });
  return count;
}

template <Scalar T>
Index RowSolver<T>::solve_first(const Prepared& prepared, Vectors<const T> b, Vectors<T> x) {
  if (b.cols >= many_columns) return solve_columns<many_columns>(prepared, b, x);
  if (b.cols > few_columns) return solve_columns<some_columns>(prepared, b, x);
  if (b.cols > 1) return solve_columns<few_columns>(prepared, b, x);
  run(prepared, [&](const RowRange<T>& rows) { TRISWEEP_BEST_ISA(solve_one<T>)(rows, b.data, x.data); });
  return 1;
}

template <Scalar T>
void RowSolver<T>::solve(Vectors<const T> b, Vectors<T> x, Op op) {
  require_fit<T>(b, x, a_.rows());
  const Prepared& p = prepared(op);
  make_room(b.cols);
  for (Index c = 0; c < b.cols;) c += solve_first(p, b.columns(c, b.cols - c), x.columns(c, b.cols - c));
}

template <Scalar T>
const Choice& RowSolver<T>::choice(Op op) const {
  return prepared_.at(op)->choice;
}

#define INSTANTIATE(T) template class RowSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
