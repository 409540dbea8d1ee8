#pragma once
// Checks that all ranks have the same options and matching message lists before they exchange messages.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "trisweep/mpi/transport.hpp"

namespace trisweep::mpi {

// An option's name and its value as text. Hashes of values are compared; errors show the beginning of the
// text.
struct Setting {
  const char* name = "";
  std::uint64_t hash = 0;
  std::array<char, 64> text{};

  Setting() = default;
  Setting(const char* name, std::string_view value);
};

// Collective; every rank passes the same names. Throws Error(usage) on every rank if any values differ: it
// names all options that differ and, for the first of them, two ranks with their values.
inline constexpr std::size_t most_settings = 24;
void require_same(const Communicator& comm, std::span<const Setting> settings);

// Collective. Checks that the messages that a rank sends are those that its receivers expect: of the same
// phase, name and size, in the same order. Otherwise throws Error(usage) on every rank, naming two ranks
// whose lists differ.
void require_matching(const Communicator& comm, const CommunicationPattern& pattern);

}  // namespace trisweep::mpi
