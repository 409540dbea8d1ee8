#include <fmt/format.h>

#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/transport/one_sided.hpp"
#include "trisweep/transport/shared_memory.hpp"
#include "trisweep/transport/two_sided.hpp"

namespace trisweep::transport {
namespace {

template <class T>
std::unique_ptr<Transport> make(const Communicator& comm, const Traffic& traffic) {
  return make_collectively<T>(comm, traffic);
}

constexpr std::array<NamedTransport, 3> table{{
    {"two-sided", make<TwoSided>},
    {"one-sided", make<OneSided>},
    {"shared", make<SharedMemory>},
}};

}  // namespace

std::span<const NamedTransport> transports() {
  return table;
}

TransportFactory find_transport(std::string_view name) {
  return find_named(transports(), "transport", name).make;
}

std::string obstacle(const Communicator& comm, std::string_view name) {
  const TransportFactory make_it = find_transport(name);
  try {
    make_it(comm, collectively(comm, [] { return Traffic{.phase = std::vector<PhaseMessages>(1)}; }));
    return {};
  } catch (const CollectiveError& error) {
    return error.what();
  }
}

// Ranks of one node may still be in containers of their own: it takes a try.
std::string_view usual_transport(const Communicator& comm) {
  return comm.size() > 1 && obstacle(comm, "shared").empty() ? "shared" : "two-sided";
}

std::unique_ptr<Transport> make_usual(const Communicator& comm, const Traffic& traffic) {
  return find_transport(usual_transport(comm))(comm, traffic);
}

void check_size(const Arrival& arrival, std::size_t expected) {
  if (arrival.bytes == expected) return;
  throw Error(
      ErrorKind::environment,
      fmt::format("message {} of rank {} has {} bytes where {} were expected: the ranks' plans differ",
                  arrival.number, arrival.from, arrival.bytes, expected),
      "call solve with the same op and number of right-hand sides on every rank");
}

}  // namespace trisweep::transport
