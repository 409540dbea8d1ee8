#pragma once
// A PE on the host: its memory, and what one of its threads does in a solve.

#include <optional>
#include <span>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/shared_layout.hpp"
#include "trisweep/device/worker.hpp"

namespace trisweep::device {

template <Scalar T>
class HostPe {
 public:
  using Number = NumberOf<T>;

  // With `workers` threads and at most `nrhs` right-hand sides. `memory`: of the layout, zero, on a cache
  // line; it and the program outlive this. `measuring`: of a program that does so; views outlive this.
  HostPe(const Program& program, Index pes, int workers, Index nrhs, std::byte* memory,
         const ResidualSystem<T>& measuring = {})
      : program_(program),
        workers_(workers),
        view_(view_of(program,
                      []<class A>(const std::vector<A>& list) {
                        return ArrayView<A>{list.data(), static_cast<Index>(list.size())};
                      })),
        memory_(shared_layout(program, pes).template at<T>(memory)),
        measured_(device::measured(measuring, [](auto numbers) { return numbers.data(); })),
        counter_(usize(program.counters)),
        time_(program.part.size() + 1),
        nrhs_(nrhs) {
    make_room(0);
  }

  const Program& program() const { return program_; }
  int workers() const { return workers_; }
  const PeMemory<Number>& memory() const { return memory_; }
  T* rows() const { return reinterpret_cast<T*>(memory_.row); }

  // For products with panels like these; there is room for such with numbers. Throws Error(environment).
  template <class Side>
  void make_room_for(const PanelsBySide<Side>& panels) {
    make_room(rows_for_tiles(program_, panels));
  }

  // The next solve, for all workers, or the first launch of it. `watchdog`: seconds without
  // progress after which it fails; 0: never.
  Solve<Number> next(Index nrhs, double watchdog) {
    return {.nrhs = nrhs,
            .number = ++solves_,
            .end = program_.end_of_launch(0),
            .launches = launches_++,
            .watchdog = static_cast<Count>(watchdog * 1e9)};
  }
  // Its launch behind that stop.
  void go_on(Solve<Number>& solve, std::size_t boundary) {
    solve.end = program_.end_of_launch(boundary + 1);
    solve.launches = launches_++;
  }

  // One worker's part of a solve. `all`: the memory of all PEs; `panels`: in any storage.
  // Returns early when a PE has failed; when it throws, all of them leave.
  template <class Side, class Block>
  void work(std::span<const PeMemory<Number>> all, const PanelsBySide<Side>& panels,
            const Solve<Number>& solve, int worker, const Block& block) {
    const Pe<InKernels<Side>, Number, DirectPeers<Number>> pe{
        .program = view_,
        .panels = {in_kernels(panels[0]), in_kernels(panels[1]), in_kernels(panels[2])},
        .peers = {all.data(), static_cast<Index>(all.size()), program_.pe},
        .messages = program_.messages(),
        .workers = static_cast<Index>(workers_),
        .counter = counter_.data(),
        .time = time_.data(),
        .phases = static_cast<Index>(program_.part.size()),
        .scratch = reinterpret_cast<Number*>(scratch_.data()),
        .scratch_size = scratch_size_,
        .measured = measured_,
        .solve = solve};
    try {
      Worker<InKernels<Side>, Number, DirectPeers<Number>, Block>(pe.of_worker(usize(worker)), block).run();
    } catch (...) {
      pe.peers.fail();
      throw;
    }
  }

  // When the phases of the last solve began, and behind them its end: nanoseconds, 0 for one without items.
  std::span<const Count> times() const { return time_; }
  bool failed() const { return load_acquire<Scope::system>(&memory_.control->failed) != 0; }
  // What a worker has waited for too long, in words.
  std::optional<std::string> stalled() const {
    const Count item = load_acquire<Scope::system>(&memory_.control->stalled);
    if (item == 0) return std::nullopt;
    return describe_waiting(program_, static_cast<Index>(item - 1));
  }

 private:
  void make_room(Index rows_for_tiles) {
    const std::size_t size = scratch_size(program_, rows_for_tiles, nrhs_);
    if (size == scratch_size_) return;
    scratch_ = Buffer<T>(size * usize(workers_), "the right-hand sides");
    scratch_size_ = size;
  }

  const Program& program_;
  int workers_;
  ProgramView view_;
  PeMemory<Number> memory_;
  ResidualView<Number> measured_;
  std::vector<Count> counter_;
  std::vector<Count> time_;
  Index nrhs_;
  std::size_t scratch_size_ = 0;
  Buffer<T> scratch_;
  Count solves_ = 0;
  Count launches_ = 0;
};

}  // namespace trisweep::device
