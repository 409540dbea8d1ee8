#include "trisweep/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/engine/device_engine.hpp"
#include "trisweep/engine/host_engine.hpp"

namespace trisweep::engine {
namespace {

constexpr auto table = std::to_array<NamedDevice>({{"native", Device::native, "cpu"},
                                                   {"emulated", Device::emulated, "host"},
                                                   {"cuda", Device::cuda},
                                                   {"hip", Device::hip}});

constexpr auto exchange_backend_table = std::to_array<NamedExchangeBackend>(
    {{"puts", device::ExchangeBackend::puts}, {"mpi", device::ExchangeBackend::mpi}});

}  // namespace

std::span<const NamedExchangeBackend> exchange_backends() {
  return exchange_backend_table;
}

device::ExchangeBackend find_exchange_backend(std::string_view name) {
  return find_named(exchange_backends(), "exchange of devices", name).exchange_backend;
}

std::string_view name_of(device::ExchangeBackend exchange_backend) {
  return std::ranges::find(exchange_backend_table, exchange_backend, &NamedExchangeBackend::exchange_backend)
      ->name;
}

std::span<const NamedDevice> devices() {
  return table;
}

Device find_device(std::string_view name) {
  const auto former = std::ranges::find(table, name, &NamedDevice::former_name);
  return former != table.end() && !name.empty() ? former->device
                                                : find_named(devices(), "device", name).device;
}

std::string_view name_of(Device device) {
  return std::ranges::find(table, device, &NamedDevice::device)->name;
}

void require_device(Device device) {
  if (device == Device::cuda || device == Device::hip) require_gpu(device);
}

int place_of(Device device) {
  return device == Device::cuda || device == Device::hip ? current_gpu() : 0;
}

std::string obstacle_to_puts(Device device, const mpi::Communicator& comm) {
  constexpr std::string_view remedy = "use --exchange-backend mpi with --grid 1x1xPZ, PZ a power of two";
  if (comm.size() == 1 || device == Device::native) return "";
  if (device != Device::emulated)
    return gpus_put() ? ""
                      : fmt::format(
                            "segments that GPUs of several ranks share need NVSHMEM, which this build "
                            "is without\n  remedy: {}, or start one rank",
                            remedy);
  if (comm.of_node().size() == comm.size()) return "";
  return fmt::format(
      "ranks on different nodes share no memory, through which --device emulated exchanges "
      "segments\n  remedy: {}, or --device native",
      remedy);
}

template <Scalar T>
std::unique_ptr<Engine<T>> make_engine(const RankSystem<T>& system, const EngineOptions& options) {
  if (options.device == Device::native) return std::make_unique<HostEngine<T>>(system, options);
  return std::make_unique<DeviceEngine<T>>(system, options);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<Engine<T>> make_engine(const RankSystem<T>&, const EngineOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
