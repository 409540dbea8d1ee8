#include "trisweep/engine/program_runner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "trisweep/core/clock.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::engine {
namespace {

// Polls for failures of other ranks, on behalf of waiting workers of an emulated device: by one of them at a
// time.
class Listener {
 public:
  explicit Listener(const mpi::Communicator& comm) : comm_(comm) {}
  void operator()() {
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

}  // namespace

template <Scalar T>
ProgramRunner<T>::ProgramRunner(const mpi::Communicator& comm, const RankProgram<T>& of)
    : comm_(comm), of_(of) {
  const auto memory = share_memory();
  mpi::agree_on_error(comm_, [&] {
    const auto rows = usize(of_.system.partition.count(comm_.rank()));
    const auto scale = [&](const RealOf<T>* s) { return std::span(s, s == nullptr ? 0 : rows); };
    device::PeData<T> data{scale(of_.scales.b_scale), scale(of_.scales.x_scale)};
    if (of_.measuring != nullptr) data.measuring = *of_.measuring;
    pes_.emplace(std::span(&of_.program, 1), of_.nrhs,
                 device::LocalPesOptions<T>{.device = of_.device,
                                            .pool = &of_.system.pool,
                                            .data = {&data, 1},
                                            .devices = {backend::runtime(of_.device).current()},
                                            .memory = memory,
                                            .heap = memory.empty() ? nullptr : of_.heap});
  });
  // No rank may put anything before the memory of its target is zeroed. The barrier follows the agreement: a
  // rank whose memory does not suffice would leave the others waiting in it.
  if (!memory.empty() && of_.heap != nullptr) of_.heap->barrier();
  panels_changed();
}

template <Scalar T>
std::vector<device::PeMemory<device::NumberOf<T>>> ProgramRunner<T>::share_memory() {
  std::vector<device::PeMemory<device::NumberOf<T>>> memory;
  if (of_.layouts.empty()) return memory;
  const std::size_t mine = of_.layouts[usize(of_.program.pe)].template bytes<T>(of_.nrhs);
  if (of_.heap == nullptr) {
    node_memory_.emplace(comm_.of_node(), mine);
  } else {
    const auto most = usize(comm_.max(static_cast<Offset>(mine)));
    heap_memory_ = mpi::agree_on_error(comm_, [&] { return of_.heap->allocate(most); });
  }
  mpi::agree_on_error(comm_, [&] {
    for (std::size_t pe = 0; pe < of_.layouts.size(); ++pe) {
      const Index rank = of_.program.number_of(static_cast<Index>(pe));
      memory.push_back(
          of_.layouts[pe].template at<T>(node_memory_ ? node_memory_->part(rank) : heap_memory_.get(), rank));
    }
  });
  return memory;
}

template <Scalar T>
void ProgramRunner<T>::panels_changed() {
  mpi::agree_on_error(comm_, [&] {
    const auto use = [&](const auto& panels) { pes_->use(std::span(&panels, 1)); };
    if (of_.measuring != nullptr) return use(device::PanelsBySide<device::NoPanels>{});
    of_.system.panels.visit(use);
  });
}

template <Scalar T>
void ProgramRunner<T>::start(const CallersVectors<T>& v, void* stream) {
  const bool scaled = v.b_scale == of_.scales.b_scale && v.x_scale == of_.scales.x_scale;
  const device::PeVectors<T> vectors{v.b, v.x, scaled, v.base};
  const auto exchange = [&](const device::LaunchBoundary& boundary) {
    await(stream);
    of_.host_exchange->exchange(boundary, {pes_->pe().rows(), v.b.cols, stream});
  };
  Listener listener(comm_);
  // By reference: a solve allocates nothing.
  pes_->solve(v.b.cols, {&vectors, 1}, watchdog(), stream, std::ref(exchange), std::ref(listener));
  const bool is_copied = is_gpu(of_.device) && v.x.space == MemorySpace::host && v.x.rows > 0;
  is_under_way_ = true;
  if (is_copied || !is_gpu(of_.device)) wait(stream);
  if (is_copied) pes_->hand_out({&vectors, 1});
  if (of_.host_exchange != nullptr) of_.host_exchange->close();
}

template <Scalar T>
double ProgramRunner<T>::watchdog() const {
  // Nothing can interrupt a spinning kernel, nor end its process.
  if (is_gpu(of_.device)) return std::min(of_.watchdog, backend::usual_watchdog);
  return std::isfinite(of_.watchdog) ? of_.watchdog : 0;
}

template <Scalar T>
void ProgramRunner<T>::wait(void* stream) {
  if (!is_under_way_) return;
  await(stream);
  is_under_way_ = false;
}

template <Scalar T>
void ProgramRunner<T>::confirm() {
  is_under_way_ = false;
  if (pes_->pe().failed()) give_up();
}

template <Scalar T>
void ProgramRunner<T>::await(void* stream) const {
  mpi::Watchdog watchdog(std::numeric_limits<double>::infinity(), &comm_);
  try {
    while (!pes_->ended(stream)) watchdog.backoff([] { return std::string(); });
  } catch (...) {
    pes_->stop();  // the kernel waits for a rank that has failed
    throw;
  }
  if (pes_->pe().failed()) give_up();
}

template <Scalar T>
void ProgramRunner<T>::give_up() const {
  if (const auto stalled = pes_->pe().stalled())
    throw mpi::Stalled(ErrorKind::environment,
                       fmt::format("no progress for {:g} s: {}", watchdog(), *stalled),
                       "check whether the rank that the others wait for is still running");
  // The rank that has failed is about to report it.
  mpi::Watchdog watchdog(std::numeric_limits<double>::infinity(), &comm_);
  for (;;) watchdog.backoff([] { return std::string(); });
}

void deal_out_gpus(Device device, const mpi::Communicator& comm) {
  if (comm.size() == 1) return;
  const Index place = comm.of_node().rank();
  mpi::agree_on_error(comm, [&] {
    const backend::Runtime& runtime = backend::runtime(device);
    runtime.take(place % std::max(runtime.count(), 1));
  });
}

std::shared_ptr<backend::SymmetricHeap> join_gpus(const mpi::Communicator& comm) {
  if (!backend::has_symmetric_heap()) return nullptr;
  backend::HeapId id{};
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0) id = backend::make_heap_id();
  });
  comm.broadcast(id);
  return mpi::agree_on_error(comm,
                             [&] { return backend::join_symmetric_heap(id, comm.rank(), comm.size()); });
}

#define INSTANTIATE(T) template class ProgramRunner<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
