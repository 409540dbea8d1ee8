#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/mpi/one_sided.hpp"
#include "trisweep/mpi/shared_memory.hpp"
#include "trisweep/mpi/two_sided.hpp"

namespace trisweep::mpi {
namespace {

template <class T>
std::unique_ptr<Transport> make(const Communicator& comm, const CommunicationPattern& pattern) {
  return make_collective<T>(comm, pattern);
}

constexpr auto table = std::to_array<NamedTransport>({
    {.name = "two-sided", .make = make<TwoSided>, .always = true},
    {.name = "one-sided", .make = make<OneSided>},
    {.name = "shared", .make = make<SharedMemory>, .preferred = true},
});

}  // namespace

std::span<const NamedTransport> transports() {
  return table;
}

const NamedTransport& find_transport(std::string_view name) {
  return find_named(transports(), "transport", name);
}

std::string obstacle(const Communicator& comm, std::string_view name) {
  const NamedTransport& transport = find_transport(name);
  try {
    transport.make(comm, agree_on_error(comm, [] {
                     return CommunicationPattern{.phase = std::vector<PhaseMessages>(1)};
                   }));
    return {};
  } catch (const CollectiveError& error) {
    return error.what();
  }
}

// Even ranks of one node may be in separate containers, so that only a try can tell.
const NamedTransport& usual_transport(const Communicator& comm) {
  for (const NamedTransport& transport : transports()) {
    if (transport.preferred && comm.size() > 1 && obstacle(comm, transport.name).empty()) return transport;
  }
  return *std::ranges::find_if(transports(), &NamedTransport::always);
}

std::unique_ptr<Transport> make_usual(const Communicator& comm, const CommunicationPattern& pattern) {
  return usual_transport(comm).make(comm, pattern);
}

void check_size(const Arrival& arrival, std::size_t expected) {
  if (arrival.bytes == expected) return;
  throw Error(
      ErrorKind::environment,
      fmt::format("message {} of rank {} has {} bytes where {} were expected: the ranks' plans differ",
                  arrival.number, arrival.from, arrival.bytes, expected),
      "call solve with the same op and number of right-hand sides on every rank");
}

}  // namespace trisweep::mpi
