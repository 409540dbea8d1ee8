#pragma once
// PEs on a GPU: one is the solver of a single device; several are virtual ones, which share it, and exchange
// segments as devices do. A solve is one cooperative launch. Built with TRISWEEP_CUDA or TRISWEEP_HIP.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "trisweep/device/make_program.hpp"

namespace trisweep::device {

// Whether there is a device to run on; and its name.
std::optional<std::string> gpu_name();
// Bytes per second that a copy within its memory reads and writes.
double gpu_copy_bandwidth();

template <Scalar T>
class GpuPes {
 public:
  // The panels of one PE, by side, in the host's memory.
  using Panels = std::array<std::span<const T>, distribution::sides.size()>;

  // Programs that are connected to one another, and outlive this. Copies all that solves with at most `nrhs`
  // right-hand sides need. Throws Error(environment) when there is no device, or not enough of its memory.
  GpuPes(std::span<const Program> programs, std::span<const Panels> panels, Index nrhs);
  ~GpuPes();
  GpuPes(const GpuPes&) = delete;
  GpuPes& operator=(const GpuPes&) = delete;

  // Work rows of a PE, in the device's memory: where b enters and x leaves, as the plan says. Row-major, with
  // as many columns as the solve has right-hand sides.
  T* rows(Index pe) const;
  void copy_to_rows(Index pe, std::span<const T> values) const;
  void copy_from_rows(Index pe, std::span<T> values) const;

  // In `stream` (a cudaStream_t or hipStream_t; null: the default one): neither waits nor allocates.
  // `patience`: seconds in which something must move; 0: any time.
  void solve(Index nrhs, double patience = 0, void* stream = nullptr);
  // Waits for the stream. Throws Error(environment) that says what was waited for when that took too long.
  void wait(void* stream = nullptr) const;

 private:
  struct Memory;
  std::span<const Program> programs_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace trisweep::device
