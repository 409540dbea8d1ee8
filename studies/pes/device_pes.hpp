#pragma once
// A triangular solve by several PEs on devices, distributed by a design: virtual PEs of one GPU, GPUs of this
// process that access each other's memory, processes with one PE each, whose heaps are NVSHMEM's, or the same
// source on threads of the host.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "studies/pes/pe_memory.hpp"
#include "studies/pes/virtual_pes.hpp"
#include "trisweep/backend/device_group.hpp"
#include "trisweep/backend/launch.hpp"
#include "trisweep/backend/symmetric_heap.hpp"
#include "trisweep/mpi/node_memory.hpp"

namespace trisweep::studies {

struct DevicePeOptions {
  backend::Device device = backend::Device::emulated;
  int threads = 1;  // host threads for each PE
  PeLayout layout;
  PeCosts costs;  // used to choose among the design's placements, if there are several
  const mpi::Communicator* ranks = nullptr;  // each has one PE; null: this process has all PEs
};

template <Scalar T>
class DevicePes {
 public:
  // PEs share the GPUs of this process: PE p is on device p modulo their number. With ranks, PE p is rank p,
  // on the device assigned to it on its node, and all ranks call this and solve() with the same arguments.
  // Throws Error(usage) as programs_of(), for the native device, for less than one thread, for a number of
  // ranks other than that of PEs, and for managed memory, which processes do not share; Error(environment) if
  // there is no such device, not enough of its memory, or a device cannot access another's memory.
  DevicePes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design, const DevicePeOptions& options);

  // b and x have A's rows; they may be the same memory. On a GPU they may be in its memory, unless there are
  // ranks; each rank passes all of b and gets all of x. The report covers all right-hand sides, which are
  // solved one after the other; times are wall-clock times, and a PE's idle time is the mean waiting time of
  // its warps.
  PeReport solve(Vectors<const T> b, Vectors<T> x);

 private:
  using Number = backend::NumberOf<T>;

  // The PEs of a device.
  struct Part {
    std::vector<Index> pe;
    int blocks = 0;  // per PE
    std::vector<PeView<Number>> view;
    backend::DeviceArray<const PeHeap<Number>> heap;
    backend::DeviceArray<const PeView<Number>> view_there;
  };

  // Runs work(), which waits for no other rank; if it fails on any rank, all ranks throw its error.
  template <class Work>
  auto agreed(const Work& work) const {
    return options_.ranks == nullptr ? work() : mpi::agree_on_error(*options_.ranks, work);
  }
  bool is_here(Index pe) const { return options_.ranks == nullptr || options_.ranks->rank() == pe; }
  void begin(const sptrsv::LowerSystem<T>& system, const NamedDesign& design);
  // Memory of all ranks, by PE. Collective.
  std::vector<std::byte*> share_memory();
  void place_pes(const std::vector<std::byte*>& shared);
  void reset(void* stream) const;
  // With ranks: gathers what each has solved (as real and imaginary parts), and its counts, on all.
  // Collective.
  std::vector<double> own_parts(Vectors<T> x) const;
  void gather(std::vector<double> parts, Vectors<T> x) const;
  PeReport gather(PeReport mine) const;
  PeReport solve_column(Vectors<const T> b, Vectors<T> x);
  void run(void* stream, const PeTask<Number>& task) const;
  PeReport report(double seconds) const;

  DevicePeOptions options_;
  backend::Device device_;
  PePrograms<T> programs_;
  std::unique_ptr<ThreadPool> pool_;  // of an emulated device
  std::optional<backend::DeviceGroup> group_;
  std::optional<ManagedSums<T>> managed_;
  std::optional<mpi::NodeMemory> node_memory_;
  std::shared_ptr<backend::SymmetricHeap> symmetric_;
  std::shared_ptr<std::byte> symmetric_memory_;
  std::map<Index, PeMemory<T>> pe_;   // those of this process
  std::vector<PeHeap<Number>> heap_;  // by PE
  std::vector<Part> part_;
  std::optional<backend::VectorCopies<T>> copies_;
};

}  // namespace trisweep::studies
