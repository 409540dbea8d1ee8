#include "trisweep/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/engine/device_engine.hpp"
#include "trisweep/engine/host_engine.hpp"

namespace trisweep::engine {
namespace {

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

int place_of(Device device) {
  return backend::runtime(device).current();
}

std::string obstacle_to_puts(Device device, const mpi::Communicator& comm) {
  constexpr std::string_view remedy = "use --exchange-backend mpi with --grid 1x1xPZ, PZ a power of two";
  if (comm.size() == 1 || device == Device::native) return "";
  if (device != Device::emulated)
    return backend::has_symmetric_heap()
               ? ""
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
