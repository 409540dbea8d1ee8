#pragma once
// The PEs of this process on its devices: either one PE, for a rank or a single device, or several, which
// share a device (virtual PEs) or have one each and write directly to each other's memory. A solve takes one
// launch on each device, plus one for each launch boundary of its program.

#include <functional>
#include <memory>
#include <optional>

#include "trisweep/backend/device_group.hpp"
#include "trisweep/backend/launch.hpp"
#include "trisweep/device/local_pe.hpp"
#include "trisweep/device/worker.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep::device {

// Exchanges the messages of a launch boundary.
using ExchangeMessages = std::function<void(const LaunchBoundary&)>;

// How items are assigned to blocks: by ticket; or, for comparison, each item to its own block, as SC'23's
// Algorithms 4 and 5 do with block columns. The latter terminates only if the device starts blocks in order.
// If there are other PEs, a second, concurrent kernel takes their messages, with one block for each PE.
enum class Scheduling { tickets, block_for_each };

template <Scalar T>
struct LocalPesOptions {
  Device device = Device::emulated;
  ThreadPool* pool = nullptr;                   // its threads are the workers of an emulated device
  std::span<const PeData<T>> data{};            // by PE
  std::vector<int> devices = {0};               // PE p is on devices[p % size]
  Scheduling scheduling = Scheduling::tickets;  // block_for_each: one PE per GPU, uncompressed panels
  // The memory of all PEs, accessible to each other, if this process has only one of them; else empty.
  std::span<const PeMemory<NumberOf<T>>> memory{};
  const backend::SymmetricHeap* heap = nullptr;  // which contains `memory`
};

template <Scalar T>
class LocalPes {
 public:
  using Number = NumberOf<T>;

  // The programs are connected to one another and must outlive this object; solves have at most `nrhs`
  // right-hand sides. Throws Error(environment) if there is no such device, not enough of its memory, or a
  // device cannot access another's memory.
  LocalPes(std::span<const Program> programs, Index nrhs, const LocalPesOptions<T>& options);
  LocalPes(const LocalPes&) = delete;
  LocalPes& operator=(const LocalPes&) = delete;

  // To be called before the first solve, and whenever values, tiles or storage of panels change. `panels`: by
  // PE.
  template <class Side>
  void use(std::span<const PanelsBySide<Side>> panels);

  // Enqueues a solve in `stream` (null: the default one); on GPUs neither allocates nor waits for a kernel.
  // Once the stream has completed it, PEs report whether they failed and their times; x is in host memory
  // after hand_out(). `vectors`: by PE; empty if the plan does not move b and x. `watchdog`: seconds without
  // progress after which the solve fails; 0: never. `exchange`: the host's part at a launch boundary of the
  // program, which waits for the stream. `poll`: called by waiting workers of an emulated device.
  void solve(Index nrhs, std::span<const PeVectors<T>> vectors = {}, double watchdog = 0,
             void* stream = nullptr, const ExchangeMessages& exchange = {}, const Poll& poll = {});

  // Copies the solutions to host vectors, after a solve that was waited for.
  void hand_out(std::span<const PeVectors<T>> vectors) const {
    for (std::size_t p = 0; p < vectors.size(); ++p) pe_[p].hand_out(vectors[p]);
  }

  const LocalPe<T>& pe(std::size_t p = 0) const { return pe_[p]; }
  bool ended(void* stream = nullptr) const { return backend::runtime(device_).is_idle(stream); }
  void wait(void* stream = nullptr) const { backend::runtime(device_).wait(stream); }
  // Ends the running solve.
  void stop() const;
  // Access to the work rows of a PE, row-major, with one column per right-hand side of the solve. Reads start
  // at the entry `first`, after the work in the stream.
  void copy_to_rows(std::size_t p, std::span<const T> values) const {
    backend::copy(device_, pe_[p].rows(), values.data(), values.size());
  }
  void read_rows(std::span<T> values, std::size_t first = 0, std::size_t p = 0,
                 void* stream = nullptr) const {
    backend::copy(device_, values.data(), pe_[p].rows() + first, values.size(), stream);
  }

 private:
  // Kernel that takes messages, and where the kernel of items finds that they have arrived.
  struct MessagesBeside {
    DeviceArray<Count> taken;
    backend::Stream stream;
    backend::Event done;
  };
  // The PEs of a device.
  struct Part {
    std::vector<std::size_t> pe;
    Count ended = 0;  // tickets beyond the last item, in all launches of a PE
    DeviceArray<const PeMemory<Number>> memory;
    std::optional<MessagesBeside> messages;  // for block_for_each
  };
  struct Launch {
    std::size_t part;
    Solve<Number> solve;
    const AllCallers<Number>& callers;
    void* stream;
    const Poll& poll;
  };

  // Kernels for one right-hand side, and for any number.
  template <class One, class Any>
  struct Kernels {};

  template <class One, class Any, class View>
  void use_kernels(const std::function<View(std::size_t, const Part&, int)>& view);
  template <class Body>
  int workers_of(const Part& part) const;
  template <class Body>
  void launch(const Body& body, int blocks, const Launch& of) const;
  template <class Body>
  void launch_beside_messages(const Body& body, int blocks, const Launch& of) const;
  template <class Body>
  void launch_on_heap(Body body, int blocks, void* stream) const;
  void start(std::size_t part, std::span<const PeVectors<T>> vectors, Solve<Number> solve, void* stream,
             const ExchangeMessages& exchange, const Poll& poll);

  Device device_;
  ThreadPool* pool_;
  Scheduling scheduling_;
  const backend::SymmetricHeap* heap_;
  backend::DeviceGroup group_;
  backend::Stream beside_;  // made in advance: a waiting device may not create one
  std::deque<LocalPe<T>> pe_;
  std::vector<PeMemory<Number>> memory_;  // of all PEs
  std::vector<Part> part_;
  std::function<int(const Launch&)> launch_;  // returns the number of workers of a PE
  Count solves_ = 0;
};

}  // namespace trisweep::device
