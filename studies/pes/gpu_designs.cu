// The designs for several PEs on GPUs (pe_warp.hpp), by nvcc or hipcc: one cooperative launch for each
// device.

#include <deque>
#include <numeric>

#include "studies/pes/pe_memory.hpp"
#include "studies/pes/pe_runner.hpp"
#include "studies/pes/pe_warp.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/device/gpu_kernel.hpp"
#include "trisweep/device/gpu_team.hpp"
#include "trisweep/device/gpu_vectors.hpp"

namespace trisweep::studies {
namespace {

using device::check;
using device::CurrentDevice;
using device::DeviceArray;
using device::GpuTeam;
using device::NumberOf;
using device::Stream;

// PEs of a device take blocks in turn, so that each has some.
template <class T, class Exchange>
__global__ void __launch_bounds__(device::threads_of_block)
    run_design(const PeView<T>* pes, int count, PeTask<T> task) {
  const PeView<T> pe = pes[static_cast<int>(blockIdx.x) % count];
  PeWarp<T, Exchange, device::GpuWarp>(pe, task, device::GpuWarp{}).run();
}

// Of the current device.
class GpuMemory {
 public:
  using Queue = Stream;

  template <class A>
  const A* place(const std::vector<A>& list) {
    return reinterpret_cast<const A*>(placed_.emplace_back(std::as_bytes(std::span(list))).data());
  }
  template <class A>
  A* zeros(std::size_t count) {
    return reinterpret_cast<A*>(zeroed_.emplace_back(count * sizeof(A)).data());
  }
  template <class A>
  void copy(A* to, const A* from, std::size_t count, Queue queue) const {
    check(TRISWEEP_GPU(MemcpyAsync)(to, from, count * sizeof(A), TRISWEEP_GPU(MemcpyDefault), queue),
          "clearing the memory of a PE");
  }
  void clear(Queue queue) const {
    for (const auto& array : zeroed_) {
      if (array.size() > 0)
        check(TRISWEEP_GPU(MemsetAsync)(array.data(), 0, array.size(), queue), "clearing the memory of a PE");
    }
  }

 private:
  std::deque<DeviceArray<std::byte>> placed_, zeroed_;
};

// Memory that moves to the device that touches it: never more than one of them has free.
class ManagedMemory {
 public:
  using Queue = Stream;

  ManagedMemory() = default;
  ~ManagedMemory() {
    for (const auto& [data, size] : block_) static_cast<void>(TRISWEEP_GPU(Free)(data));
  }
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;

  template <class A>
  A* zeros(std::size_t count) {
    const std::size_t size = std::max(count, std::size_t{1}) * sizeof(A);
    std::size_t free = 0, total = 0;
    check(TRISWEEP_GPU(MemGetInfo)(&free, &total), "asking the device");
    if (size > free)
      throw Error(ErrorKind::environment, "managed memory: more than a device has free",
                  "choose another design, such as push");
    void* data = nullptr;
    check(TRISWEEP_GPU(MallocManaged)(&data, size), "managed memory");
    block_.emplace_back(data, size);
    return static_cast<A*>(data);
  }
  template <class A>
  void copy(A* to, const A* from, std::size_t count, Queue queue) const {
    check(TRISWEEP_GPU(MemcpyAsync)(to, from, count * sizeof(A), TRISWEEP_GPU(MemcpyDefault), queue),
          "clearing managed memory");
  }
  void clear(Queue queue) const {
    for (const auto& [data, size] : block_)
      check(TRISWEEP_GPU(MemsetAsync)(data, 0, size, queue), "clearing managed memory");
  }

 private:
  std::deque<std::pair<void*, std::size_t>> block_;
};

// The PEs of a device.
template <class T>
struct DesignPart {
  std::vector<Index> pe;
  int blocks = 0;  // of each PE
  DeviceArray<PeHeap<T>> heap;
  DeviceArray<PeView<T>> view;
};

template <Scalar T, class Exchange>
class GpuDesign final : public PeRunner<T> {
 public:
  using Number = NumberOf<T>;

  GpuDesign(PePrograms<T> programs, const std::vector<int>& devices)
      : programs_(std::move(programs)),
        team_(devices),
        managed_(programs_, false),
        part_(team_.size()),
        copies_(programs_.rows(), 1) {
    std::vector<PeHeap<Number>> heap;
    for (Index p = 0; usize(p) < programs_.pe.size(); ++p) {
      const CurrentDevice current(team_.device(team_.part_of(p)));
      part_[team_.part_of(p)].pe.push_back(p);
      heap.push_back(pe_.emplace_back(programs_, p).heap(managed_));
    }
    team_.each([&](std::size_t i) {
      DesignPart<Number>& part = part_[i];
      part.blocks = device::blocks_of_each(kernel, static_cast<int>(part.pe.size()), most_pes);
      part.heap = DeviceArray<PeHeap<Number>>(std::span<const PeHeap<Number>>(heap));
      std::vector<PeView<Number>> view;
      for (const Index p : part.pe) view.push_back(pe_[usize(p)].view(part.heap.data(), heap[usize(p)]));
      part.view = DeviceArray<PeView<Number>>(std::span<const PeView<Number>>(view));
    });
  }

  PeReport solve(Vectors<const T> b, Vectors<T> x) override {
    const Stream stream = nullptr;
    const auto [from, to] = copies_.bring_in(b, x, stream);
    managed_.reset(stream);
    team_.run(stream, [&](std::size_t i, Stream here) {
      for (const Index p : part_[i].pe) pe_[usize(p)].reset(here);
    });
    wait();
    const auto start = Clock::now();
    const PeTask<Number> task{reinterpret_cast<const Number*>(from.data), reinterpret_cast<Number*>(to.data)};
    team_.run(stream, [&](std::size_t i, Stream here) {
      const DesignPart<Number>& part = part_[i];
      const int count = static_cast<int>(part.pe.size());
      const PeView<Number>* const view = part.view.data();
      device::launch_together(kernel, part.blocks * count, here, view, count, task);
    });
    wait();
    const double seconds = seconds_since(start);
    copies_.bring_out(x, stream);
    wait();
    return report(seconds);
  }

 private:
  static constexpr auto kernel_function = &run_design<Number, Exchange>;
  inline static const void* const kernel = reinterpret_cast<const void*>(kernel_function);

  static void wait() { check(TRISWEEP_GPU(StreamSynchronize)(nullptr), "the kernel"); }

  PeReport report(double seconds) const {
    constexpr int warps_of_block = device::threads_of_block / device::GpuWarp::lanes;
    PeReport report{.seconds = seconds};
    for (Index p = 0; usize(p) < pe_.size(); ++p) {
      PeControl control;
      device::copy(&control, pe_[usize(p)].control(), 1);
      const int warps = part_[team_.part_of(p)].blocks * warps_of_block;
      report.pe.push_back(outcome_of(control, seconds, warps));
    }
    return report;
  }

  PePrograms<T> programs_;
  GpuTeam team_;
  ManagedSums<T, ManagedMemory> managed_;
  std::deque<PeMemory<T, GpuMemory>> pe_;
  std::vector<DesignPart<Number>> part_;
  device::VectorCopies<T> copies_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<PeRunner<T>> run_pes_on_gpus(PePrograms<T> programs, int devices) {
  std::vector<int> list(static_cast<std::size_t>(devices));
  std::iota(list.begin(), list.end(), 0);
  return with_exchange(programs.exchange, [&]<class Exchange>(Exchange) -> std::unique_ptr<PeRunner<T>> {
    return std::make_unique<GpuDesign<T, Exchange>>(std::move(programs), list);
  });
}

#define INSTANTIATE(T) template std::unique_ptr<PeRunner<T>> run_pes_on_gpus(PePrograms<T>, int);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
