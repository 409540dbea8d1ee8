#pragma once
// Where plans run, and how devices exchange what they share.

#include <span>
#include <string>
#include <string_view>

#include "trisweep/device/exchange_backend.hpp"

namespace trisweep::mpi {
class Communicator;
}

namespace trisweep::engine {

// native: the host engine's kernels; emulated: the GPU kernels' source, compiled for the CPU; or a GPU.
enum class Device { native, emulated, cuda, hip };
struct NamedDevice {
  std::string_view name;
  Device device;
  std::string_view former_name = {};  // still accepted
};
std::span<const NamedDevice> devices();
// By name or former name. Throws Error(usage) that lists the names.
Device find_device(std::string_view name);
std::string_view name_of(Device device);
// Throws Error(environment) when this build or this machine has no such device.
void require_device(Device device);
// The number of the device of that kind that this thread uses.
int place_of(Device device);

// Exchange of shared segments and vectors between devices: one-sided puts from the kernel (`puts`), or MPI
// messages of the host between launches (`mpi`), from device memory where MPI is GPU-aware.
struct NamedExchangeBackend {
  std::string_view name;
  device::ExchangeBackend exchange_backend;
};
std::span<const NamedExchangeBackend> exchange_backends();
// Throws Error(usage) that lists the names.
device::ExchangeBackend find_exchange_backend(std::string_view name);
std::string_view name_of(device::ExchangeBackend exchange_backend);
// Why the devices of these ranks cannot use puts, with a remedy; empty when they can. Without puts, layers
// must have one rank each. Collective.
std::string obstacle_to_puts(Device device, const mpi::Communicator& comm);

}  // namespace trisweep::engine
