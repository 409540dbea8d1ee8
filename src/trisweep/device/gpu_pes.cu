#include <algorithm>
#include <deque>

#include "trisweep/device/gpu_kernel.hpp"
#include "trisweep/device/gpu_memory.hpp"
#include "trisweep/device/gpu_pes.hpp"
#include "trisweep/device/gpu_team.hpp"
#include "trisweep/device/shared_layout.hpp"

namespace trisweep::device {
namespace {

// The PEs of a device.
template <class N>
struct Part {
  std::vector<Index> pe;
  int workers = 0;  // of each PE
  std::optional<DeviceArray<PeMemory<N>>> peers;
  std::optional<DeviceArray<std::byte>> pes;
};

}  // namespace

template <Scalar T>
class GpuPes<T>::Memory {
 public:
  using Number = NumberOf<T>;

  template <class Side>
  Memory(std::span<const Program> programs, std::span<const PanelsBySide<Side>> panels, Index nrhs,
         const GpuOptions<T>& options)
      : programs_(programs), scheduling_(options.scheduling), team_(options.devices), parts_(team_.size()) {
    kernel_ = worker_kernel<InKernels<Side>, NumberOf<T>, DirectPeers>(scheduling_);
    const auto count = static_cast<Index>(programs.size());
    for (Index p = 0; p < count; ++p) {
      parts_[team_.part_of(p)].pe.push_back(p);
      const CurrentDevice current(team_.device(team_.part_of(p)));
      pes_.emplace_back(programs[usize(p)], count, nrhs,
                        options.data.empty() ? PeData<T>{} : options.data[usize(p)]);
      shared_at_.push_back(pes_.back().shared());
    }
    team_.each([&](std::size_t i) {
      Part<Number>& part = parts_[i];
      part.workers = workers_of(static_cast<int>(part.pe.size()));
      part.peers.emplace(shared_at_);
      std::vector<Pe<InKernels<Side>, NumberOf<T>, DirectPeers<NumberOf<T>>>> of_part;
      for (const Index p : part.pe)
        of_part.push_back(pes_[usize(p)].view(
            panels[usize(p)], DirectPeers<Number>{part.peers->data(), count, p}, part.workers));
      part.pes.emplace(std::as_bytes(std::span(of_part)));
    });
  }

  GpuPeMemory<T>& pe(Index p) { return pes_[usize(p)]; }
  std::span<const Program> programs() const { return programs_; }

  void solve(Index nrhs, std::span<const PeVectors<T>> vectors, double watchdog, Stream stream,
             const ExchangeMessages& carry) {
    const Solve<Number> solve{.nrhs = nrhs,
                              .number = ++solves_,
                              .end = all_items,
                              .launches = launches_,
                              .watchdog = static_cast<Count>(watchdog * 1e9)};
    launches_ += programs_.front().boundary.size() + 1;
    team_.run(stream, [&](std::size_t i, Stream here) { start(parts_[i], vectors, solve, here, carry); });
  }

 private:
  int workers_of(int pes) const {
    if (scheduling_ == Scheduling::block_for_each) return static_cast<int>(programs_.front().item.size());
    return blocks_of_each(kernel_, pes, most_pes_of_device);
  }

  void start(const Part<Number>& part, std::span<const PeVectors<T>> vectors, const Solve<Number>& solve,
             Stream stream, const ExchangeMessages& carry) {
    if (part.pe.empty()) return;
    AllCallers<Number> callers{};
    for (std::size_t i = 0; i < part.pe.size() && !vectors.empty(); ++i)
      callers.of[i] = pes_[usize(part.pe[i])].bring_in(vectors[usize(part.pe[i])], stream);
    const Blocks blocks{static_cast<int>(part.pe.size()), part.workers, scheduling_};
    const auto launch_part = [&](const Solve<Number>& now) {
      launch(kernel_, part.pes->data(), blocks, now, callers, stream);
    };
    launch_all(programs_[usize(part.pe.front())], solve, launch_part, carry);
    for (const Index p : part.pe)
      if (!vectors.empty()) pes_[usize(p)].bring_out(vectors[usize(p)], stream);
  }

  std::span<const Program> programs_;
  Scheduling scheduling_;
  const void* kernel_;
  GpuTeam team_;
  std::deque<GpuPeMemory<T>> pes_;
  std::vector<PeMemory<Number>> shared_at_;
  std::vector<Part<Number>> parts_;
  Count solves_ = 0;
  Count launches_ = 0;
};

template <Scalar T>
template <class Side>
GpuPes<T>::GpuPes(std::span<const Program> programs, std::span<const PanelsBySide<Side>> panels, Index nrhs,
                  const GpuOptions<T>& options)
    : memory_(std::make_unique<Memory>(programs, panels, nrhs, options)) {}

template <Scalar T>
GpuPes<T>::~GpuPes() = default;

template <Scalar T>
void GpuPes<T>::copy_to_rows(Index pe, std::span<const T> values) const {
  copy(reinterpret_cast<T*>(memory_->pe(pe).shared().row), values.data(), values.size());
}
template <Scalar T>
void GpuPes<T>::read_rows(std::span<T> values, std::size_t first, Index pe, void* stream) const {
  copy(values.data(), reinterpret_cast<const T*>(memory_->pe(pe).shared().row) + first, values.size(),
       static_cast<Stream>(stream));
}
template <Scalar T>
void GpuPes<T>::copy_times(std::span<Count> times, Index pe, void* stream) const {
  copy(times.data(), memory_->pe(pe).times(), times.size(), static_cast<Stream>(stream));
}

template <Scalar T>
void GpuPes<T>::solve(Index nrhs, std::span<const PeVectors<T>> vectors, double watchdog, void* stream,
                      const ExchangeMessages& carry) {
  memory_->solve(nrhs, vectors, watchdog, static_cast<Stream>(stream), carry);
}
template <Scalar T>
T* GpuPes<T>::rows(Index pe) const {
  return reinterpret_cast<T*>(memory_->pe(pe).shared().row);
}

template <Scalar T>
bool GpuPes<T>::ended(void* stream) const {
  return is_idle(static_cast<Stream>(stream));
}
template <Scalar T>
void GpuPes<T>::stop() const {
  constexpr Count failed = 1;
  const GpuStream beside;
  for (const Program& program : memory_->programs())
    check(TRISWEEP_GPU(MemcpyAsync)(&memory_->pe(program.pe).shared().control->failed, &failed, sizeof failed,
                                    TRISWEEP_GPU(MemcpyHostToDevice), beside.get()),
          "stopping the kernel");
  check(TRISWEEP_GPU(StreamSynchronize)(beside.get()), "stopping the kernel");
}
template <Scalar T>
void GpuPes<T>::wait(void* stream) const {
  check(TRISWEEP_GPU(StreamSynchronize)(static_cast<Stream>(stream)), "the kernel");
  for (const Program& program : memory_->programs())
    check_ended(program, memory_->pe(program.pe), static_cast<Stream>(stream));
}

#define INSTANTIATE(T) template class GpuPes<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

#define INSTANTIATE_STORAGE(S, T)                                                                          \
  template GpuPes<T>::GpuPes(std::span<const Program>, std::span<const PanelSpans<S>>, Index,              \
                             const GpuOptions<T>&);                                                        \
  template GpuPes<T>::GpuPes(std::span<const Program>, std::span<const PanelsBySide<PieceSpan<S>>>, Index, \
                             const GpuOptions<T>&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::device
