#include <fmt/format.h>

#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/transport/one_sided.hpp"
#include "trisweep/transport/two_sided.hpp"

namespace trisweep::transport {
namespace {

template <class T>
std::unique_ptr<Transport> make(const Communicator& comm, const Traffic& traffic) {
  return std::make_unique<T>(comm, traffic);
}

constexpr std::array<NamedTransport, 2> table{{
    {"two-sided", make<TwoSided>},
    {"one-sided", make<OneSided>},
}};

}  // namespace

std::span<const NamedTransport> transports() {
  return table;
}

TransportFactory find_transport(std::string_view name) {
  return find_named(transports(), "transport", name).make;
}

void check_size(const Arrival& arrival, std::size_t expected) {
  if (arrival.bytes == expected) return;
  throw Error(
      ErrorKind::environment,
      fmt::format("message {} of rank {} has {} bytes where {} were expected: the ranks' plans differ",
                  arrival.tag, arrival.from, arrival.bytes, expected),
      "call solve with the same op and number of right-hand sides on every rank");
}

}  // namespace trisweep::transport
