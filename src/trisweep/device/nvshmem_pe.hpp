#pragma once
// One PE of a process, with a GPU of its own, of several that exchange segments by NVSHMEM: puts and signals
// that the kernel starts itself (SC'23 Algorithm 5), within a node and between nodes. Built with
// TRISWEEP_NVSHMEM.

#include "trisweep/device/gpu_pes.hpp"
#include "trisweep/device/shared_layout.hpp"

namespace trisweep::device {

// What processes must have in common to find each other: one of them makes it, and tells the others.
using NvshmemId = std::array<std::byte, 128>;
NvshmemId make_nvshmem_id();

// NVSHMEM in this process, on its current device. Collective; there is one at a time. Throws
// Error(environment) when there is no device.
class Nvshmem {
 public:
  Nvshmem(const NvshmemId& id, Index rank, Index ranks);
  ~Nvshmem();
  Nvshmem(const Nvshmem&) = delete;
  Nvshmem& operator=(const Nvshmem&) = delete;
};

// As GpuPes, with the one program of this process. Collective, and so is its destructor.
template <Scalar T>
class NvshmemPe {
 public:
  // `layouts`: of the programs of all PEs, by PE.
  template <class Side>
  NvshmemPe(const Program& program, std::span<const SharedLayout> layouts, const PanelsBySide<Side>& panels,
            Index nrhs, const PeData<T>& data);
  ~NvshmemPe();
  NvshmemPe(const NvshmemPe&) = delete;
  NvshmemPe& operator=(const NvshmemPe&) = delete;

  // `vectors`: of this PE.
  void solve(Index nrhs, std::span<const PeVectors<T>> vectors, double watchdog = 0, void* stream = nullptr,
             const ExchangeMessages& carry = {});
  T* rows() const;
  // Whether all in the stream has ended.
  bool ended(void* stream = nullptr) const;
  // Ends the solve of all PEs that is under way, when one of them will never take part.
  void stop() const;
  // See GpuPes.
  void wait(void* stream = nullptr) const;
  void copy_times(std::span<Count> times, Index pe = 0, void* stream = nullptr) const;
  void read_rows(std::span<T> values, std::size_t first = 0, Index pe = 0, void* stream = nullptr) const;

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace trisweep::device
