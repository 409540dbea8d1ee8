#pragma once
// The PEs of this process on its devices: one is the solver of a rank or a single device; several share a
// device (virtual ones), or have one each, whose memory the others write to directly. A solve is one launch
// for each device, and one more for each stop of its program.

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

// How items come to blocks: by ticket; or, for comparison, each to a block of its own, as SC'23's Algorithms
// 4 and 5 give one to each block column: that ends only as long as a device starts blocks in their order.
// Where there are other PEs, a block of a kernel beside takes a PE's messages.
enum class Scheduling { tickets, block_for_each };

template <Scalar T>
struct LocalPesOptions {
  Device device = Device::emulated;
  ThreadPool* pool = nullptr;                   // whose threads are the workers of an emulated device
  std::span<const PeData<T>> data{};            // by PE
  std::vector<int> devices = {0};               // PE p is on devices[p % their number]
  Scheduling scheduling = Scheduling::tickets;  // any other: of a PE on each GPU, whose panels are numbers
  // The memory of all PEs where this process has but one of them, which others reach; else it has all.
  std::span<const PeMemory<NumberOf<T>>> memory{};
  const backend::SymmetricHeap* heap = nullptr;  // that this memory is in
};

template <Scalar T>
class LocalPes {
 public:
  using Number = NumberOf<T>;

  // Programs that are connected to one another, and outlive this; solves have at most `nrhs` right-hand
  // sides. Throws Error(environment) when there is no such device, not enough of its memory, or devices that
  // do not reach each other's.
  LocalPes(std::span<const Program> programs, Index nrhs, const LocalPesOptions<T>& options);
  LocalPes(const LocalPes&) = delete;
  LocalPes& operator=(const LocalPes&) = delete;

  // Before the first solve, and when panels have other values, tiles or storage. `panels`: by PE.
  template <class Side>
  void use(std::span<const PanelsBySide<Side>> panels);

  // In `stream` (null: the default one): on GPUs neither allocates nor waits for a kernel. Behind what it
  // puts there PEs tell whether they failed, and when; x of the host is there after hand_out(). `vectors`: by
  // PE; none where the plan does not bring them in and out. `watchdog`: seconds without progress after which
  // it fails; 0: never. `exchange`: the host's part at a launch boundary of the program, which waits for the
  // stream. `poll`: by workers of an emulated device that wait.
  void solve(Index nrhs, std::span<const PeVectors<T>> vectors = {}, double watchdog = 0,
             void* stream = nullptr, const ExchangeMessages& exchange = {}, const Poll& poll = {});

  // The solutions that the host is to have, of a solve that was waited for.
  void hand_out(std::span<const PeVectors<T>> vectors) const {
    for (std::size_t p = 0; p < vectors.size(); ++p) pe_[p].hand_out(vectors[p]);
  }

  const LocalPe<T>& pe(std::size_t p = 0) const { return pe_[p]; }
  bool ended(void* stream = nullptr) const { return backend::runtime(device_).is_idle(stream); }
  void wait(void* stream = nullptr) const { backend::runtime(device_).wait(stream); }
  // Ends the solve that is under way.
  void stop() const;
  // Work rows of a PE, row-major, with as many columns as the solve has right-hand sides: from the entry
  // `first` on, behind what is in the stream.
  void copy_to_rows(std::size_t p, std::span<const T> values) const {
    backend::copy(device_, pe_[p].rows(), values.data(), values.size());
  }
  void read_rows(std::span<T> values, std::size_t first = 0, std::size_t p = 0,
                 void* stream = nullptr) const {
    backend::copy(device_, values.data(), pe_[p].rows() + first, values.size(), stream);
  }

 private:
  // What takes messages, and where kernels of items find that they have come.
  struct MessagesBeside {
    DeviceArray<Count> taken;
    backend::Stream stream;
    backend::Event done;
  };
  // The PEs of a device.
  struct Part {
    std::vector<std::size_t> pe;
    Count ended = 0;  // tickets of none, in all launches of a PE
    DeviceArray<const PeMemory<Number>> memory;
    std::optional<MessagesBeside> messages;  // block_for_each: those that other PEs send
  };
  struct Launch {
    std::size_t part;
    Solve<Number> solve;
    const AllCallers<Number>& callers;
    void* stream;
    const Poll& poll;
  };

  // For one right-hand side, and for any number.
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
  backend::Stream beside_;  // made beforehand: a device that waits may not make one
  std::deque<LocalPe<T>> pe_;
  std::vector<PeMemory<Number>> memory_;  // of all PEs
  std::vector<Part> part_;
  std::function<int(const Launch&)> launch_;  // returns how many workers a PE has
  Count solves_ = 0;
};

}  // namespace trisweep::device
