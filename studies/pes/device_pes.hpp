#pragma once
// A triangular solve by several PEs on a device, as a design shares it: virtual ones of one GPU, GPUs of this
// process that reach each other's memory, processes with a PE each, whose heaps are NVSHMEM's, or the same
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
  int threads = 1;  // of the host's, for each PE
  PeLayout layout;
  PeCosts costs;  // of the placement of tasks, where the design has several placements
  const mpi::Communicator* ranks = nullptr;  // of which each has one PE; null: this process has all
};

template <Scalar T>
class DevicePes {
 public:
  // PEs share the GPUs of this process: PE p is on the device p % their number; of ranks, each of which then
  // calls this and solve() with the same arguments, PE p is rank p, on the device that is its turn on its
  // node. Throws Error(usage) as programs_of(), for the device native, for less than one thread, for another
  // number of ranks than PEs, and for managed memory, which processes do not share; Error(environment) where
  // there is no such device, not enough of its memory, or devices that do not reach each other's.
  DevicePes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design, const DevicePeOptions& options);

  // b and x have A's rows; they may be the same memory, and on a GPU in its memory, unless there are ranks:
  // these have all of b and get all of x. The report is of all right-hand sides, which are solved one after
  // the other; times are those of a clock on the wall, and a PE is idle as long as its warps wait on the
  // mean.
  PeReport solve(Vectors<const T> b, Vectors<T> x);

 private:
  using Number = backend::NumberOf<T>;

  // The PEs of a device.
  struct Part {
    std::vector<Index> pe;
    int blocks = 0;  // of each PE
    std::vector<PeView<Number>> view;
    backend::DeviceArray<const PeHeap<Number>> heap;
    backend::DeviceArray<const PeView<Number>> view_there;
  };

  // Runs work(), which waits for no other rank; an error in it is that of all ranks.
  template <class Work>
  auto agreed(const Work& work) const {
    return options_.ranks == nullptr ? work() : mpi::agree_on_error(*options_.ranks, work);
  }
  bool is_here(Index pe) const { return options_.ranks == nullptr || options_.ranks->rank() == pe; }
  void begin(const sptrsv::LowerSystem<T>& system, const NamedDesign& design);
  // The memory of all ranks, by PE. Collective.
  std::vector<std::byte*> share_memory();
  void place_pes(const std::vector<std::byte*>& shared);
  void reset(void* stream) const;
  // Of ranks: what each has solved (of real and imaginary parts), and done, to all. Collective.
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
