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
    {"two-sided", make<TwoSided>, true},
    {"one-sided", make<OneSided>, true},
    {"shared", make<SharedMemory>, false},
}};

}  // namespace

std::span<const NamedTransport> transports() {
  return table;
}

TransportFactory find_transport(std::string_view name) {
  return find_named(transports(), "transport", name).make;
}

// Ranks of one node may still be in containers of their own: it takes a try, of one without messages.
std::string_view usual_transport(const Communicator& comm) {
  constexpr std::string_view everywhere = "two-sided";
  if (comm.size() == 1) return everywhere;
  try {
    const auto traffic = collectively(comm, [] { return Traffic{.phase = std::vector<PhaseMessages>(1)}; });
    SharedMemory(comm, traffic);
    return "shared";
  } catch (const CollectiveError&) {
    return everywhere;
  }
}

std::unique_ptr<Transport> make_usual(const Communicator& comm, const Traffic& traffic) {
  return find_transport(usual_transport(comm))(comm, traffic);
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
