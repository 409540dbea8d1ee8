// PEs that put to a symmetric heap, by the library's kernels and host code for NVSHMEM: several of one
// process, which the thread sanitizer follows, and the ranks of MPI, whose solves it follows within each.

#include <gtest/gtest.h>

#include <thread>

#include "device/gpu/combination_case.hpp"
#include "sptrsv/systems.hpp"
#include "studies/pes/device_pes.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/sptrsv/backward_error.hpp"

namespace trisweep::testing_support {
namespace {

using device::LocalPes;
using device::Scheduling;

// PE p is device p of this process, with a thread of its own, as a rank has it.
template <Scalar T>
class PesOfAHeap {
 public:
  // `use_panels`: of a PE, called for each.
  PesOfAHeap(const Programs& programs, std::function<void(LocalPes<T>&, std::size_t)> use_panels, Index nrhs,
             Scheduling scheduling = Scheduling::tickets)
      : programs_(programs), use_panels_(std::move(use_panels)), nrhs_(nrhs), scheduling_(scheduling) {}

  std::vector<T> solve(const VirtualPes<T>& host, const std::vector<T>& b, int times) {
    host.load(b, nrhs_);
    const backend::HeapId id = backend::make_heap_id();
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < programs_.programs.size(); ++p)
      threads.emplace_back([this, p, &host, &id, times] { run(p, host, id, times); });
    for (std::thread& thread : threads) thread.join();
    return host.store(nrhs_);
  }

 private:
  void run(std::size_t p, const VirtualPes<T>& host, const backend::HeapId& id, int times) {
    const auto pes = static_cast<Index>(programs_.programs.size());
    backend::runtime(gpu).take(static_cast<int>(p));
    const auto heap = backend::join_symmetric_heap(id, static_cast<Index>(p), pes);
    std::size_t most = 0;
    std::vector<device::SharedLayout> layouts;
    for (const device::Program& program : programs_.programs) {
      layouts.push_back(device::shared_layout(program, pes));
      most = std::max(most, layouts.back().template bytes<T>(nrhs_));
    }
    const auto shared = heap->allocate(most);
    std::vector<device::PeMemory<device::NumberOf<T>>> memory;
    for (Index pe = 0; pe < pes; ++pe) memory.push_back(layouts[usize(pe)].template at<T>(shared.get(), pe));
    LocalPes<T> local({&programs_.programs[p], 1}, nrhs_,
                      {.device = gpu,
                       .devices = {static_cast<int>(p)},
                       .scheduling = scheduling_,
                       .memory = memory,
                       .heap = heap.get()});
    heap->barrier();
    use_panels_(local, p);
    const std::span rows(host.pe(p).rows(),
                         usize(programs_.plans[p].local_blocks.work_rows()) * usize(nrhs_));
    for (int time = 0; time < times; ++time) {
      local.copy_to_rows(0, rows);
      heap->barrier();  // the rows of all are there
      local.solve(nrhs_, {}, 20);
      local.wait();
    }
    local.read_rows(rows);
    heap->barrier();
  }

  const Programs& programs_;
  std::function<void(LocalPes<T>&, std::size_t)> use_panels_;
  Index nrhs_;
  Scheduling scheduling_;
};

template <Scalar T>
void expect_solves(const Combination& of) {
  const CombinationCase<T> solved(of);
  const auto use_panels = [&](LocalPes<T>& pes, std::size_t p) { solved.use_panels(pes, p, 1); };
  solved.expect_solution(PesOfAHeap<T>(solved.programs, use_panels, of.nrhs).solve(solved.host, solved.b, 1));
}

TEST(HeapThreads, EveryVariantSolvesOnOneToFourPes) {
  for (const Combination& of : some_combinations()) {
    if (of.is_complex) {
      expect_solves<std::complex<double>>(of);
    } else {
      expect_solves<double>(of);
    }
  }
}

void expect_solves_again(const distribution::ProcessGrid& grid, Scheduling scheduling, int times) {
  const Programs programs(random_structure(40, 2, 4, 1), grid, {}, Op::none, false);
  const MadeUpFactors<double> factors(*programs.distribution.structure, false);
  const AllPanels<double> panels(programs, factors);
  const VirtualPes<double> host(programs, factors, 1, 1);
  const auto b = random_vector<double>(40, 3);
  const auto use_panels = [&](LocalPes<double>& pes, std::size_t p) {
    pes.use(std::span(&panels.views[p], 1));
  };
  const auto x = PesOfAHeap<double>(programs, use_panels, 1, scheduling).solve(host, b, times);
  EXPECT_LT(largest_difference(x, factors.solve(Op::none, b)), 1e-13);
}

TEST(HeapThreads, SolvesFollowOneAnother) {
  expect_solves_again({2, 2, 1}, Scheduling::tickets, 5);
}

// SC'23, Algorithm 5: WAIT and SOLVE. Blocks of 256 threads each are slow here.
TEST(HeapThreads, ABlockTakesMessagesBesideBlocksForEachItem) {
  expect_solves_again({2, 1, 1}, Scheduling::block_for_each, 2);
}

}  // namespace
}  // namespace trisweep::testing_support

namespace trisweep::solve {
namespace {

using engine::Device;

template <class T>
void expect_solves_on_ranks() {
  const auto a = testing_support::random_matrix<T>({.n = 80, .per_row = 2, .seed = 8});
  const auto factors = testing_support::factored(a, 2);
  for (const auto& grid : testing_support::grids_of(testing_support::world_size())) {
    TriangularSolver<T> solver(
        MPI_COMM_WORLD, factors,
        {.grid = grid, .device = Device::cuda, .grain = 60, .tiling = {.width = 3, .least = 1}});
    for (const auto& [op, nrhs] : {std::pair(Op::none, 3), {Op::transpose, 1}, {Op::conjugate_transpose, 1}})
      EXPECT_LT(testing_support::solve_error(solver, a, op, nrhs), 1000) << grid.name() << " op " << char(op);
  }
}

TEST(HeapOfRanksThreads, SolvesOnEveryGrid) {
  expect_solves_on_ranks<double>();
  expect_solves_on_ranks<std::complex<double>>();
}

}  // namespace
}  // namespace trisweep::solve

namespace trisweep::studies {
namespace {

// A process for each PE of the multi-GPU zero-copy paper: in-degrees and left sums lie in the heap.
TEST(HeapOfRanksThreads, DesignsForSeveralPesSolve) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  for (const NamedDesign& design : designs()) {
    if (design.exchange == Exchange::unified) continue;
    for (const auto& system : testing_support::pe_systems<double>(4)) {
      DevicePes<double> solver(
          system, design,
          {.device = backend::Device::cuda, .layout = {.pes = world.size(), .tasks = 4}, .ranks = &world});
      const auto b = testing_support::random_vector<double>(usize(system.rows()), 5);
      std::vector<double> x(b.size());
      const Vectors<const double> right(b.data(), system.rows(), 1);
      const PeCounts counts = solver.solve(right, {x.data(), system.rows(), 1}).total();
      EXPECT_EQ(counts.entries, system.below.nonzeros());
      EXPECT_LT(sptrsv::backward_error<double>(system, right, {x.data(), system.rows(), 1}), 1e-14)
          << design.name;
    }
  }
}

}  // namespace
}  // namespace trisweep::studies
