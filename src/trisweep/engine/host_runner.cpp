// The program of a rank on its threads. Ranks that put something to one another write to each other's
// memory, so all are on one node.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <mutex>

#include "trisweep/core/clock.hpp"
#include "trisweep/device/host_pe.hpp"
#include "trisweep/engine/program_runner.hpp"
#include "trisweep/transport/node_memory.hpp"
#include "trisweep/transport/patience.hpp"

namespace trisweep::engine {
namespace {

// Workers that wait hear of ranks that have failed: one of them at a time asks.
class Listener final : public device::Watch {
 public:
  explicit Listener(const transport::Communicator& comm) : comm_(comm) {}
  void look() override {
    if (comm_.size() == 1) return;
    const std::unique_lock turn(mutex_, std::try_to_lock);
    if (!turn) return;
    const auto now = Clock::now();
    if (now - looked_around_ < transport::between_looks_around) return;
    looked_around_ = now;
    comm_.listen(true);
  }

 private:
  const transport::Communicator& comm_;
  std::mutex mutex_;
  Clock::time_point looked_around_{};
};

// That of all ranks that put something to one another. Collective.
template <Scalar T>
transport::NodeMemory shared_memory(const RankProgram<T>& of) {
  const transport::Communicator& comm = of.system.comm;
  const std::size_t bytes = of.layouts[usize(of.program.pe)].template bytes<T>(of.nrhs);
  if (of.layouts.size() > 1) return {comm.of_node(), bytes};
  return transport::collectively(
      comm, [&] { return transport::NodeMemory(transport::Communicator(MPI_COMM_SELF), bytes); });
}

template <Scalar T>
class HostRunner final : public ProgramRunner<T> {
 public:
  explicit HostRunner(const RankProgram<T>& of) : of_(of), memory_(shared_memory(of)) {
    transport::collectively(comm(), [&] {
      const auto pes = static_cast<Index>(of_.layouts.size());
      for (Index pe = 0; pe < pes; ++pe)
        memory_of_.push_back(of_.layouts[usize(pe)].template at<T>(memory_.part(pe)));
      pe_.emplace(of_.program, pes, of_.system.crew.size(), of_.nrhs, memory_.part(of_.program.pe),
                  of_.measuring != nullptr ? *of_.measuring : device::Measuring<T>{});
    });
    if (of_.measuring == nullptr) panels_changed();
  }

  void start(const CallersVectors<T>& v, void* /*stream*/) override {
    device::Solve<Number> solve = pe_->next(v.b.cols, std::isfinite(of_.watchdog) ? of_.watchdog : 0);
    solve.caller = device::callers_rows(v.b, v.b_scale, v.x, v.x_scale, v.base);
    const std::vector<device::Stop>& stops = of_.program.stop;
    run(solve);
    for (std::size_t stop = 0; stop < stops.size(); ++stop) {
      of_.mail->carry(stops[stop], {pe_->rows(), v.b.cols, nullptr});
      pe_->go_on(solve, stop);
      run(solve);
    }
    if (of_.mail != nullptr) of_.mail->close();
  }
  void wait(void* /*stream*/) override {}
  std::span<const device::Count> times() const override { return pe_->times(); }
  void read_rows(std::size_t first, std::span<T> values, void* /*stream*/) const override {
    std::copy_n(pe_->rows() + first, values.size(), values.data());
  }
  // They are read where they are.
  void panels_changed() override {
    transport::collectively(
        comm(), [&] { of_.system.panels.visit([&](const auto& panels) { pe_->make_room_for(panels); }); });
  }

 private:
  using Number = device::NumberOf<T>;

  const transport::Communicator& comm() const { return of_.system.comm; }

  // One launch, by all workers.
  void run(const device::Solve<Number>& solve) {
    Listener listener(comm());
    const auto run_panels = [&](const auto& panels) {
      const auto serve = [&](int thread) {
        pe_->work(memory_of_, panels, solve, thread, device::HostBlock{.watch = &listener});
      };
      of_.system.crew.run(std::ref(serve));  // by reference: a solve allocates nothing
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
      throw transport::Stalled(ErrorKind::environment,
                               fmt::format("no progress for {:g} s: {}", of_.watchdog, *stalled),
                               "check whether the rank that the others wait for is still running");
    // Whoever has failed is about to say so.
    transport::Patience patience(std::numeric_limits<double>::infinity(), &comm());
    for (;;) patience.nothing_yet([] { return std::string(); });
  }

  RankProgram<T> of_;
  transport::NodeMemory memory_;
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
