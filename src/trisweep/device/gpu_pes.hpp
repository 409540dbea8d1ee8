#pragma once
// PEs on GPUs of this process: one is the solver of a single device; several share a device (virtual ones),
// or have one each, whose memory the others write to directly. A solve is one cooperative launch for each
// device. Built with TRISWEEP_CUDA or TRISWEEP_HIP.

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/gpu_device.hpp"
#include "trisweep/device/make_program.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/device/residual.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep::device {

// Of one PE, in the host's memory: what its rows of b and of x are multiplied by on their way (empty: 1), and
// what a program that measures answers does so with.
template <Scalar T>
struct PeData {
  std::span<const RealOf<T>> b_scale{};
  std::span<const RealOf<T>> x_scale{};
  ResidualSystem<T> measuring{};
};

// The caller's rows of one PE, in the host's memory or in its device's; `base`, as CallersRows has it, in the
// latter.
template <Scalar T>
struct PeVectors {
  Vectors<const T> b{};
  Vectors<T> x{};
  bool scaled = true;
  Vectors<const T> base{};
};

// Exchanges the messages of a launch boundary.
using ExchangeMessages = std::function<void(const LaunchBoundary&)>;

// How items come to blocks: by ticket; or, for comparison, each to a block of its own, as SuperLU_DIST gives
// one to each block column: that ends only as long as a device starts blocks in their order.
enum class Scheduling { tickets, block_for_each };

template <Scalar T>
struct GpuOptions {
  std::span<const PeData<T>> data{};            // by PE
  std::vector<int> devices = {0};               // PE p is on devices[p % their number]
  Scheduling scheduling = Scheduling::tickets;  // any other: of one PE, whose panels are numbers
};

template <Scalar T>
class GpuPes {
 public:
  // Programs that are connected to one another, and outlive this.
  // Copies all that solves with at most `nrhs` right-hand sides need. Throws Error(environment) when there is
  // no such device, not enough of its memory, or devices that do not reach each other's.
  template <class Side>
  GpuPes(std::span<const Program> programs, std::span<const PanelsBySide<Side>> panels, Index nrhs,
         const GpuOptions<T>& options = {});
  ~GpuPes();
  GpuPes(const GpuPes&) = delete;
  GpuPes& operator=(const GpuPes&) = delete;

  // Work rows of a PE, in its device's memory: where b enters and x leaves when the plan does not bring them
  // in and out. Row-major, with as many columns as the solve has right-hand sides.
  void copy_to_rows(Index pe, std::span<const T> values) const;
  // From the entry `first` on, behind what is in the stream.
  void read_rows(std::span<T> values, std::size_t first = 0, Index pe = 0, void* stream = nullptr) const;

  // In `stream` (a cudaStream_t or hipStream_t; null: the default one): neither waits nor allocates when
  // vectors are in devices' memory. `vectors`: by PE; none where the plan does not bring them in and out.
  // `watchdog`: seconds without progress after which it fails; 0: never. `carry`: the host's part at a launch
  // boundary of the program, once the stream has reached it.
  void solve(Index nrhs, std::span<const PeVectors<T>> vectors = {}, double watchdog = 0,
             void* stream = nullptr, const ExchangeMessages& carry = {});
  // Work rows of a PE.
  T* rows(Index pe = 0) const;
  // Whether all in the stream has ended.
  bool ended(void* stream = nullptr) const;
  // Ends the solve that is under way.
  void stop() const;
  // Waits for the stream. Throws Error(environment) that says what was waited for when that took too long.
  void wait(void* stream = nullptr) const;
  // See HostPe::times(); of a solve that was waited for.
  void copy_times(std::span<Count> times, Index pe = 0, void* stream = nullptr) const;

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace trisweep::device
