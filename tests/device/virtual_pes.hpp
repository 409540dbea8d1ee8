#pragma once
// Several PEs in one process, each with some threads.

#include <deque>
#include <mutex>
#include <thread>

#include "device/factors.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/device/local_pe.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/distribution/distribution.hpp"
#include "trisweep/plan/make_plan.hpp"

namespace trisweep::testing_support {

struct Variant {
  std::string name;
  distribution::NamedMapping mapping = distribution::find_mapping("block-cyclic");
  plan::Schedule schedule = plan::single_sync;
  plan::Tree tree = plan::binary_tree;
  plan::InterGrid inter_grid = plan::sparse_allreduce;
};

// A structure dealt out, and the programs of all ranks for one op.
struct Programs {
  distribution::Distribution distribution;
  std::vector<plan::RankPlan> plans;
  std::vector<device::Program> programs;

  Programs(const symbolic::Structure& structure, const distribution::ProcessGrid& grid,
           const Variant& variant, Op op, bool upper_is_lower,
           const distribution::Tiling& tiling = {.width = 3, .least = 1}, Offset grain = 40)
      : distribution(std::make_shared<const symbolic::Structure>(structure), variant.mapping, grid, tiling),
        plans(plan::make_all_plans(*distribution.structure, *distribution.mapping, variant.schedule,
                                   {op, upper_is_lower, variant.tree, variant.inter_grid},
                                   {.ordered = true, .grain = grain})) {
    for (const plan::RankPlan& rank : plans)
      programs.push_back(device::make_program(*distribution.structure, rank.local_blocks, rank.plan));
    device::connect(programs);
  }
};

// A worker that now and then, before an item, gives others the core, some times or many.
class LateBlock : public device::HostBlock {
 public:
  LateBlock(std::uint64_t seed, int worker) : seed_(split_mix(seed) + usize(worker)) {}

  void begin(Index item) const {
    const std::uint64_t random = split_mix(seed_ + static_cast<std::uint64_t>(item));
    if (random % 8 != 0) return;
    for (std::uint64_t turns = random / 8 % 8; turns > 0; --turns) std::this_thread::yield();
  }

 private:
  std::uint64_t seed_;
};

// A PE on the host whose workers are any blocks.
template <Scalar T>
class TestPe : public device::LocalPe<T> {
 public:
  using Number = device::NumberOf<T>;

  TestPe(const device::Program& program, Index pes, int workers, Index nrhs, std::byte* shared,
         const device::PeData<T>& data = {})
      : device::LocalPe<T>(device::Device::emulated, program, pes, nrhs, data, shared), workers_(workers) {}

  // The next solve, or the first launch of it.
  device::Solve<Number> next(Index nrhs, double watchdog) {
    const Count ended = solves_ * usize(workers_);
    return {.nrhs = nrhs,
            .number = ++solves_,
            .end = this->program().boundary.empty() ? device::all_items : this->program().boundary[0].item,
            .ended = ended,
            .watchdog = static_cast<Count>(watchdog * 1e9)};
  }
  // One worker's part of it. `all`: the memory of all PEs.
  template <class Side, class Block>
  void work(std::span<const device::PeMemory<Number>> all, const device::PanelsBySide<Side>& panels,
            const device::Solve<Number>& solve, int worker, const Block& block) {
    using Peers = device::DirectPeers<Number>;
    auto pe = [&] {
      const std::lock_guard lock(mutex_);
      return this->view(panels, Peers{all.data(), static_cast<Index>(all.size()), this->program().pe},
                        workers_);
    }();
    pe.solve = solve;
    pe.work.scratch += usize(worker) * pe.scratch_size;
    pe.work.nrhs = solve.nrhs;
    const auto run = [&]<int columns>(std::integral_constant<int, columns>) {
      device::Worker<device::InKernels<Side>, Number, Peers, columns, Block>(pe, block).run();
    };
    try {
      if (solve.nrhs == 1) {
        run(std::integral_constant<int, 1>());
      } else {
        run(std::integral_constant<int, device::widest_tile>());
      }
    } catch (...) {
      pe.peers.fail();
      throw;
    }
  }

 private:
  using Count = device::Count;

  int workers_;
  Count solves_ = 0;
  std::mutex mutex_;
};

template <Scalar T>
class VirtualPes {
 public:
  VirtualPes(const Programs& programs, const MadeUpFactors<T>& factors, int workers, Index nrhs)
      : of_(programs), workers_(workers), pool_(static_cast<int>(programs.programs.size()) * workers) {
    const auto pes = static_cast<Index>(programs.programs.size());
    for (std::size_t p = 0; p < programs.programs.size(); ++p) {
      const device::Program& program = programs.programs[p];
      shared_.push_back(
          zeros<std::byte>(device::shared_layout(program, pes).template bytes<T>(nrhs), "a test"));
      pe_.emplace_back(program, pes, workers, nrhs, shared_.back().data());
      memory_.push_back(pe_.back().shared());
      for (const auto side : distribution::sides)
        panels_.push_back(factors.stored(programs.plans[p].local_blocks, side));
    }
  }

  // b and x: columns of n rows. `block_of(pe, worker)` makes the threads' blocks.
  template <class BlockOf>
  std::vector<T> solve(const std::vector<T>& b, Index nrhs, const BlockOf& block_of, double watchdog = 0) {
    load(b, nrhs);
    std::vector<device::Solve<device::NumberOf<T>>> solves;
    for (auto& pe : pe_) solves.push_back(pe.next(nrhs, watchdog));
    pool_.run([&](int thread) {
      const int p = thread / workers_, worker = thread % workers_;
      pe_[usize(p)].work(memory_, panels_of(usize(p)), solves[usize(p)], worker, block_of(p, worker));
    });
    return store(nrhs);
  }
  std::vector<T> solve(const std::vector<T>& b, Index nrhs) {
    return solve(b, nrhs, [](int, int) { return device::HostBlock{}; });
  }

  // The same one after another, each solution the next right-hand side, while no PE waits for those that have
  // not come as far. One layer, one worker for each PE.
  template <class BlockOf>
  std::vector<T> solve_again_and_again(const std::vector<T>& b, int times, const BlockOf& block_of) {
    load(b, 1);
    pool_.run([&](int p) {
      for (int time = 0; time < times; ++time)
        pe_[usize(p)].work(memory_, panels_of(usize(p)), pe_[usize(p)].next(1, 0), 0, block_of(p, time));
    });
    return store(1);
  }

  const TestPe<T>& pe(std::size_t p) const { return pe_[p]; }

  // The work rows of all PEs.
  void load(const std::vector<T>& b, Index nrhs) const {
    for (std::size_t p = 0; p < pe_.size(); ++p) {
      std::fill_n(pe_[p].rows(), usize(of_.plans[p].local_blocks.work_rows()) * usize(nrhs), T{});
      at_home(p, nrhs, [&](Index row, T* work) {
        for (Index c = 0; c < nrhs; ++c) work[c] = b[usize(row) + usize(c) * usize(structure().n)];
      });
    }
  }
  std::vector<T> store(Index nrhs) const {
    std::vector<T> x(usize(structure().n) * usize(nrhs), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    for (std::size_t p = 0; p < pe_.size(); ++p) {
      at_home(p, nrhs, [&](Index row, const T* work) {
        for (Index c = 0; c < nrhs; ++c) x[usize(row) + usize(c) * usize(structure().n)] = work[c];
      });
    }
    return x;
  }

 private:
  const symbolic::Structure& structure() const { return *of_.distribution.structure; }
  device::PanelSpans<T> panels_of(std::size_t p) const {
    return {panels_[3 * p], panels_[3 * p + 1], panels_[3 * p + 2]};
  }

  // Calls visit(row of the vector, its work row) for what has its home on a rank.
  template <class Visit>
  void at_home(std::size_t p, Index nrhs, const Visit& visit) const {
    const distribution::LocalBlocks& local_blocks = of_.plans[p].local_blocks;
    for (Index s = 0; s < local_blocks.segments(); ++s) {
      const Index k = local_blocks.segment[usize(s)];
      if (of_.distribution.mapping->home(k) != local_blocks.rank) continue;
      for (Index i = 0; i < local_blocks.width(s); ++i)
        visit(structure().first[usize(k)] + i,
              pe_[p].rows() + usize(local_blocks.slot[usize(s)] + i) * usize(nrhs));
    }
  }

  const Programs& of_;
  int workers_;
  ThreadPool pool_;
  std::vector<Buffer<std::byte>> shared_;
  std::deque<TestPe<T>> pe_;
  std::vector<device::PeMemory<device::NumberOf<T>>> memory_;
  std::vector<std::vector<T>> panels_;  // by PE, side
};

}  // namespace trisweep::testing_support
