// Networks that delay, reorder and lose messages: no hang, no wrong answer, no growth.

#include <gtest/gtest.h>

#include <fstream>

#include "gallery/gallery.hpp"
#include "support/perturbed_transport.hpp"
#include "support/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::PerturbedTransport;
using testing_support::Problem;
using testing_support::random_matrix;
using testing_support::world_size;

// As many layers as there can be: up to 2 x 2 x 4.
distribution::ProcessGrid grid_of_the_world() {
  const Index ranks = world_size();
  const Index pz = ranks % 4 == 0 ? 4 : 1;
  const Index px = (ranks / pz) % 2 == 0 ? 2 : 1;
  return {px, ranks / pz / px, pz};
}

mpi::TransportFactory perturbed(const mpi::NamedTransport& named, std::uint64_t seed) {
  return [make = named.make, seed](const mpi::Communicator& comm, const mpi::CommunicationPattern& pattern) {
    return std::make_unique<PerturbedTransport>(make(comm, pattern), seed + 1000 * usize(comm.rank()));
  };
}

double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * 4096 * 1e-6;
}

TEST(Adversity, ThousandSolvesOnASlowNetworkAllSucceed) {
  constexpr int solves = 1000;
  const auto a = random_matrix<double>({.n = 120, .per_row = 2, .seed = 31});
  const auto factors = factored(a);
  for (const auto& named : mpi::transports()) {
    TriangularSolver<double> solver(
        MPI_COMM_WORLD, factors,
        {.grid = grid_of_the_world(), .transport = perturbed(named, 7), .watchdog = 120});
    const Problem<double> problem(solver, a, Op::none, 1);
    const Problem<double> transposed(solver, a, Op::transpose, 1);
    double settled = 0;
    for (int i = 0; i < solves; ++i) {
      const Problem<double>& p = i % 10 == 9 ? transposed : problem;
      ASSERT_LT(p.error(p.solve_with(solver)), 500) << named.name << " solve " << i;
      if (i == solves / 4) settled = resident_megabytes();
    }
    EXPECT_LT(resident_megabytes() - settled, 8) << named.name;
  }
}

bool adds_and_reads(const plan::Plan& plan) {
  for (const plan::Phase& phase : plan.phase) {
    const auto* sweep = std::get_if<plan::SweepPhase>(&phase);
    if (sweep != nullptr &&
        std::ranges::any_of(sweep->segment, [](const auto& s) { return s.sent_from != plan::no_row; }))
      return true;
  }
  return false;
}

// Where a rank reads a segment that it adds to, its partial sum leaves while the final values come.
TEST(Adversity, PartialSumsThatLeaveLateAreNotOverwritten) {
  if (world_size() > 6) GTEST_SKIP() << "four ranks settle it";
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 90}));
  const auto factors = factored(a);
  for (const auto& named : mpi::transports()) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors,
                                    {.grid = {world_size(), 1, 1},
                                     .mapping = distribution::find_mapping("proportional"),
                                     .transport = perturbed(named, 9)});
    for (const Op op : {Op::none, Op::transpose}) {
      const Problem<double> problem(solver, a, op, 2);
      for (int i = 0; i < 4; ++i)
        ASSERT_LT(problem.error(problem.solve_with(solver)), 1e5) << named.name << " solve " << i;
      const bool met = solver.comm().max(adds_and_reads(solver.plan(op)) ? 1.0 : 0.0) > 0;
      if (world_size() == 4)
        EXPECT_TRUE(met) << "no rank reads a segment that it adds to: nothing was tested";
    }
  }
}

// Loses the first message that this rank sends.
class LossyTransport final : public mpi::Transport {
 public:
  explicit LossyTransport(std::unique_ptr<mpi::Transport> inner) : inner_(std::move(inner)) {}
  void open_phase(Index phase) override { inner_->open_phase(phase); }
  void send(Index number, const void* data, std::size_t bytes) override {
    if (std::exchange(lost_, true)) inner_->send(number, data, bytes);
  }
  std::optional<mpi::Arrival> poll() override { return inner_->poll(); }
  std::optional<mpi::Arrival> poll(Index number) override { return inner_->poll(number); }
  void receive(mpi::Arrival& arrival, void* data, std::size_t bytes) override {
    inner_->receive(arrival, data, bytes);
  }
  void close_phase(mpi::Watchdog& watchdog) override { inner_->close_phase(watchdog); }
  void close_solve(mpi::Watchdog& watchdog) override { inner_->close_solve(watchdog); }

 private:
  std::unique_ptr<mpi::Transport> inner_;
  bool lost_ = false;
};

TEST(Adversity, TheWatchdogEndsASolveThatMissesAMessageAndSaysWhich) {
  if (world_size() == 1) GTEST_SKIP() << "one rank has no message to lose";
  const auto a = random_matrix<double>({.n = 120, .per_row = 2, .seed = 33});
  const auto factors = factored(a);
  for (const auto& named : mpi::transports()) {
    const auto lossy = [make = named.make](const mpi::Communicator& comm,
                                           const mpi::CommunicationPattern& pattern) {
      return std::make_unique<LossyTransport>(make(comm, pattern));
    };
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors,
                                    {.grid = {1, world_size(), 1}, .transport = lossy, .watchdog = 0.2});
    const Problem<double> problem(solver, a, Op::none, 1);
    std::string message = "no error";
    try {
      problem.solve_with(solver);
    } catch (const Error& e) {
      message = e.what();
      EXPECT_EQ(e.kind(), ErrorKind::environment);
    }
    EXPECT_NE(message.find("no progress for 0.2 s"), std::string::npos) << message;
    EXPECT_NE(message.find("rank"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace trisweep::solve
