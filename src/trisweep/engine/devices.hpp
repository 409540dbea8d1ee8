#pragma once
// The devices that plans run on, and how they exchange shared data.

#include <span>
#include <string>
#include <string_view>

#include "trisweep/backend/device.hpp"
#include "trisweep/device/exchange_backend.hpp"

namespace trisweep::mpi {
class Communicator;
}

namespace trisweep::engine {

using backend::Device;
using backend::devices;
using backend::find_device;
using backend::name_of;
using backend::NamedDevice;
using backend::require_device;
// Number of the device of this kind that this thread uses.
int place_of(Device device);

// Exchange of shared segments and vectors between devices: one-sided puts from the kernel (`puts`), or MPI
// messages of the host between launches (`mpi`), from device memory where MPI is GPU-aware.
struct NamedExchangeBackend {
  std::string_view name;
  device::ExchangeBackend exchange_backend;
};
std::span<const NamedExchangeBackend> exchange_backends();
// Throws Error(usage), which lists the names, for an unknown one.
device::ExchangeBackend find_exchange_backend(std::string_view name);
std::string_view name_of(device::ExchangeBackend exchange_backend);
// Reason why the devices of these ranks cannot use puts, with a remedy; empty if they can. Without puts,
// layers must have one rank each. Collective.
std::string obstacle_to_puts(Device device, const mpi::Communicator& comm);

}  // namespace trisweep::engine
