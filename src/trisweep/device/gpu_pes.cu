// The persistent kernel, for nvcc and hipcc from one source.

#include <algorithm>
#include <deque>

#include "trisweep/device/gpu_pes.hpp"
#include "trisweep/device/gpu_runtime.hpp"
#include "trisweep/device/shared_layout.hpp"
#include "trisweep/device/worker.hpp"

namespace trisweep::device {
namespace {

constexpr int threads_of_block = 256;

template <class N>
using GpuPe = Pe<N, N, DirectPeers<N>>;

// PEs take blocks in turn, so that each has some, wherever they are put. `pes` have no solve yet, and the
// scratch of their first worker.
template <class N>
__global__ void __launch_bounds__(threads_of_block)
    run_workers(const GpuPe<N>* pes, const std::size_t* scratch, int count, Solve solve) {
  const int p = static_cast<int>(blockIdx.x) % count, worker = static_cast<int>(blockIdx.x) / count;
  GpuPe<N> pe = pes[p];
  pe.solve = solve;
  pe.scratch += scratch[p] * usize(worker);
  const GpuBlock block;
  Worker<N, N, DirectPeers<N>, GpuBlock>(pe, block).run();
}

// How many blocks run at a time.
template <class N>
int resident_blocks() {
  int device = 0, of_processor = 0;
  DeviceProperties properties{};
  check(TRISWEEP_GPU(GetDevice)(&device), "finding the device");
  check(TRISWEEP_GPU(GetDeviceProperties)(&properties, device), "asking the device");
  check(TRISWEEP_GPU(OccupancyMaxActiveBlocksPerMultiprocessor)(&of_processor, run_workers<N>,
                                                                threads_of_block, 0),
        "asking the device");
  return of_processor * properties.multiProcessorCount;
}

// A program's arrays on the device.
class ProgramMemory {
 public:
  explicit ProgramMemory(const Program& program)
      : view_(view_of(program, [&]<class A>(const std::vector<A>& list) {
          const std::size_t bytes = list.size() * sizeof(A);
          arrays_.emplace_back(bytes);
          arrays_.back().copy_from(reinterpret_cast<const std::byte*>(list.data()), bytes);
          return ArrayView<A>{reinterpret_cast<const A*>(arrays_.back().data()),
                              static_cast<Index>(list.size())};
        })) {}
  const ProgramView& view() const { return view_; }

 private:
  std::deque<DeviceArray<std::byte>> arrays_;
  ProgramView view_;
};

}  // namespace

std::optional<std::string> gpu_name() {
  int count = 0;
  if (TRISWEEP_GPU(GetDeviceCount)(&count) != TRISWEEP_GPU(Success) || count == 0) return std::nullopt;
  DeviceProperties properties{};
  check(TRISWEEP_GPU(GetDeviceProperties)(&properties, 0), "asking the device");
  return properties.name;
}

double gpu_copy_bandwidth() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int repeats = 10;
  const DeviceArray<std::byte> from(bytes), to(bytes);
  TRISWEEP_GPU(Event_t) begin{}, end{};
  check(TRISWEEP_GPU(EventCreate)(&begin), "an event");
  check(TRISWEEP_GPU(EventCreate)(&end), "an event");
  const auto copy = [&] {
    check(
        TRISWEEP_GPU(MemcpyAsync)(to.data(), from.data(), bytes, TRISWEEP_GPU(MemcpyDeviceToDevice), nullptr),
        "copying on the device");
  };
  copy();
  check(TRISWEEP_GPU(EventRecord)(begin, nullptr), "an event");
  for (int i = 0; i < repeats; ++i) copy();
  check(TRISWEEP_GPU(EventRecord)(end, nullptr), "an event");
  check(TRISWEEP_GPU(EventSynchronize)(end), "an event");
  float milliseconds = 0;
  check(TRISWEEP_GPU(EventElapsedTime)(&milliseconds, begin, end), "an event");
  check(TRISWEEP_GPU(EventDestroy)(begin), "an event");
  check(TRISWEEP_GPU(EventDestroy)(end), "an event");
  return 2.0 * repeats * double(bytes) / (double(milliseconds) * 1e-3);
}

template <Scalar T>
struct GpuPes<T>::Memory {
  using Number = NumberOf<T>;

  std::deque<ProgramMemory> program;
  std::deque<DeviceArray<T>> panels;
  std::deque<DeviceArray<std::byte>> shared;
  std::deque<DeviceArray<Count>> counters;
  std::deque<DeviceArray<T>> scratch_memory;
  std::vector<PeMemory<Number>> shared_at;
  DeviceArray<PeMemory<Number>> peers;
  DeviceArray<GpuPe<Number>> pes;
  DeviceArray<std::size_t> scratch;  // numbers of a worker, by PE
  int workers = 0;                   // of each PE
  Count solves = 0;
};

template <Scalar T>
GpuPes<T>::GpuPes(std::span<const Program> programs, std::span<const Panels> panels, Index nrhs)
    : programs_(programs), memory_(std::make_unique<Memory>()) {
  using Number = NumberOf<T>;
  Memory& m = *memory_;
  const auto count = static_cast<Index>(programs.size());
  m.workers = std::max(1, resident_blocks<Number>() / count);
  for (const Program& program : programs) {
    const SharedLayout layout = shared_layout(program, count);
    m.shared.emplace_back(layout.template bytes<T>(nrhs));
    m.shared_at.push_back(layout.template at<T>(m.shared.back().data()));
  }
  m.peers = DeviceArray<PeMemory<Number>>(m.shared_at);
  std::vector<GpuPe<Number>> pes;
  std::vector<std::size_t> scratch;
  for (Index p = 0; p < count; ++p) {
    const Program& program = programs[usize(p)];
    GpuPe<Number> pe{.program = m.program.emplace_back(program).view(),
                     .peers = {m.peers.data(), count, p},
                     .messages = program.messages(),
                     .workers = m.workers,
                     .counter = m.counters.emplace_back(usize(program.counters)).data()};
    for (std::size_t side = 0; side < distribution::sides.size(); ++side) {
      const std::span<const T> values = panels[usize(p)][side];
      m.panels.emplace_back(values.size()).copy_from(values.data(), values.size());
      pe.value[side] = reinterpret_cast<const Number*>(m.panels.back().data());
    }
    scratch.push_back(usize(program.scratch) * usize(nrhs));
    pe.scratch =
        reinterpret_cast<Number*>(m.scratch_memory.emplace_back(scratch.back() * usize(m.workers)).data());
    pes.push_back(pe);
  }
  m.pes = DeviceArray<GpuPe<Number>>(pes);
  m.scratch = DeviceArray<std::size_t>(scratch);
}

template <Scalar T>
GpuPes<T>::~GpuPes() = default;

template <Scalar T>
T* GpuPes<T>::rows(Index pe) const {
  return reinterpret_cast<T*>(memory_->shared_at[usize(pe)].row);
}
template <Scalar T>
void GpuPes<T>::copy_to_rows(Index pe, std::span<const T> values) const {
  check(TRISWEEP_GPU(Memcpy)(rows(pe), values.data(), values.size_bytes(), TRISWEEP_GPU(MemcpyHostToDevice)),
        "copying to the device");
}
template <Scalar T>
void GpuPes<T>::copy_from_rows(Index pe, std::span<T> values) const {
  check(TRISWEEP_GPU(Memcpy)(values.data(), rows(pe), values.size_bytes(), TRISWEEP_GPU(MemcpyDeviceToHost)),
        "copying from the device");
}

template <Scalar T>
void GpuPes<T>::solve(Index nrhs, double patience, void* stream) {
  Memory& m = *memory_;
  const GpuPe<NumberOf<T>>* pes = m.pes.data();
  const std::size_t* scratch = m.scratch.data();
  int count = static_cast<int>(programs_.size());
  Solve solve{.nrhs = nrhs, .number = ++m.solves, .patience = static_cast<Count>(patience * 1e9)};
  std::array<void*, 4> arguments{&pes, &scratch, &count, &solve};
  check(TRISWEEP_GPU(LaunchCooperativeKernel)(reinterpret_cast<const void*>(&run_workers<NumberOf<T>>),
                                              dim3(static_cast<unsigned>(m.workers * count)),
                                              dim3(threads_of_block), arguments.data(), 0,
                                              static_cast<Stream>(stream)),
        "launching the kernel");
}

template <Scalar T>
void GpuPes<T>::wait(void* stream) const {
  check(TRISWEEP_GPU(StreamSynchronize)(static_cast<Stream>(stream)), "the kernel");
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    Control control;
    check(TRISWEEP_GPU(Memcpy)(&control, memory_->shared_at[p].control, sizeof control,
                               TRISWEEP_GPU(MemcpyDeviceToHost)),
          "copying from the device");
    if (control.stalled > 0)
      throw Error(ErrorKind::environment,
                  "nothing moved on the device: " +
                      describe_waiting(programs_[p], static_cast<Index>(control.stalled - 1)));
  }
}

#define INSTANTIATE(T) template class GpuPes<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
