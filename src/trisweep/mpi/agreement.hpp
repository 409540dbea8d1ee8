#pragma once
// What ranks must have in common before they exchange messages by it.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "trisweep/mpi/transport.hpp"

namespace trisweep::mpi {

// An option by its name, with its value as text: its hash is compared, its beginning is shown.
struct Setting {
  const char* name = "";
  std::uint64_t hash = 0;
  std::array<char, 64> text{};

  Setting() = default;
  Setting(const char* name, std::string_view value);
};

// Collective; every rank passes the same names. Throws Error(usage) on every rank, which names the options
// that differ, and of the first of them two ranks and their values.
inline constexpr std::size_t most_settings = 24;
void require_same(const Communicator& comm, std::span<const Setting> settings);

// Collective. Every message that a rank sends is one that its receiver expects, of the same phase, name and
// size, in the same order, and the reverse; else throws Error(usage) on every rank, naming two whose lists
// differ.
void require_matching(const Communicator& comm, const CommunicationPattern& pattern);

}  // namespace trisweep::mpi
