// The program of a rank on its threads. Ranks that put something to one another write to each other's
// memory, so all are on one node.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <mutex>

#include "trisweep/core/clock.hpp"
#include "trisweep/device/host_pe.hpp"
#include "trisweep/engine/program_runner.hpp"
#include "trisweep/mpi/node_memory.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::engine {
namespace {

// Workers that wait hear of ranks that have failed: one of them at a time asks.
class Listener final : public device::Watch {
 public:
  explicit Listener(const mpi::Communicator& comm) : comm_(comm) {}
  void look() override {
    if (comm_.size() == 1) return;
    const std::unique_lock turn(mutex_, std::try_to_lock);
    if (!turn) return;
    const auto now = Clock::now();
    if (now - looked_around_ < mpi::fault_poll_interval) return;
    looked_around_ = now;
    comm_.poll_faults(true);
  }

 private:
  const mpi::Communicator& comm_;
  std::mutex mutex_;
  Clock::time_point looked_around_{};
};

// That of all ranks that put something to one another. Collective.
template <Scalar T>
mpi::NodeMemory shared_memory(const RankProgram<T>& of) {
  const mpi::Communicator& comm = of.system.comm;
  const std::size_t bytes = of.layouts[usize(of.program.pe)].template bytes<T>(of.nrhs);
  if (of.layouts.size() > 1) return {comm.of_node(), bytes};
  return mpi::agree_on_error(comm, [&] { return mpi::NodeMemory(mpi::Communicator(MPI_COMM_SELF), bytes); });
}

template <Scalar T>
class HostRunner final : public ProgramRunner<T> {
 public:
  explicit HostRunner(const RankProgram<T>& of) : of_(of), memory_(shared_memory(of)) {
    mpi::agree_on_error(comm(), [&] {
      const auto pes = static_cast<Index>(of_.layouts.size());
      for (Index pe = 0; pe < pes; ++pe)
        memory_of_.push_back(of_.layouts[usize(pe)].template at<T>(memory_.part(pe)));
      pe_.emplace(of_.program, pes, of_.system.pool.size(), of_.nrhs, memory_.part(of_.program.pe),
                  of_.measuring != nullptr ? *of_.measuring : device::ResidualSystem<T>{});
    });
    if (of_.measuring == nullptr) panels_changed();
  }

  void start(const CallersVectors<T>& v, void* /*stream*/) override {
    device::Solve<Number> solve = pe_->next(v.b.cols, std::isfinite(of_.watchdog) ? of_.watchdog : 0);
    solve.caller = device::callers_rows(v.b, v.b_scale, v.x, v.x_scale, v.base);
    const std::vector<device::LaunchBoundary>& stops = of_.program.boundary;
    run(solve);
    for (std::size_t boundary = 0; boundary < stops.size(); ++boundary) {
      of_.host_exchange->exchange(stops[boundary], {pe_->rows(), v.b.cols, nullptr});
      pe_->go_on(solve, boundary);
      run(solve);
    }
    if (of_.host_exchange != nullptr) of_.host_exchange->close();
  }
  void wait(void* /*stream*/) override {}
  std::span<const device::Count> times() const override { return pe_->times(); }
  void read_rows(std::size_t first, std::span<T> values, void* /*stream*/) const override {
    std::copy_n(pe_->rows() + first, values.size(), values.data());
  }
  // They are read where they are.
  void panels_changed() override {
    mpi::agree_on_error(
        comm(), [&] { of_.system.panels.visit([&](const auto& panels) { pe_->make_room_for(panels); }); });
  }

 private:
  using Number = device::NumberOf<T>;

  const mpi::Communicator& comm() const { return of_.system.comm; }

  // One launch, by all workers.
  void run(const device::Solve<Number>& solve) {
    Listener listener(comm());
    const auto run_panels = [&](const auto& panels) {
      const auto serve = [&](int thread) {
        pe_->work(memory_of_, panels, solve, thread, device::HostBlock{.watch = &listener});
      };
      of_.system.pool.run(std::ref(serve));  // by reference: a solve allocates nothing
    };
    if (of_.measuring != nullptr) {
      run_panels(device::PanelSpans<T>{});
    } else {
      of_.system.panels.visit(run_panels);
    }
    if (pe_->failed()) give_up();
  }

  // After workers have left early.
  [[noreturn]] void give_up() const {
    if (const auto stalled = pe_->stalled())
      throw mpi::Stalled(ErrorKind::environment,
                         fmt::format("no progress for {:g} s: {}", of_.watchdog, *stalled),
                         "check whether the rank that the others wait for is still running");
    // Whoever has failed is about to say so.
    mpi::Watchdog watchdog(std::numeric_limits<double>::infinity(), &comm());
    for (;;) watchdog.backoff([] { return std::string(); });
  }

  RankProgram<T> of_;
  mpi::NodeMemory memory_;
  std::vector<device::PeMemory<Number>> memory_of_;  // by PE
  std::optional<device::HostPe<T>> pe_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<ProgramRunner<T>> run_on_host(const RankProgram<T>& of) {
  return std::make_unique<HostRunner<T>>(of);
}

#define INSTANTIATE(T) template std::unique_ptr<ProgramRunner<T>> run_on_host(const RankProgram<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
