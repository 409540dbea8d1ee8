#include "trisweep/mpi/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "trisweep/core/split_mix.hpp"

namespace trisweep::mpi {
namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return split_mix(seed ^ value);
}

std::uint64_t hash_of(const Setting& setting) {
  std::uint64_t hash = 0;
  for (const char c : setting.text) hash = mixed(hash, static_cast<unsigned char>(c));
  return hash;
}

// Which options are not the same on all ranks: the largest of the hashes is not the smallest.
std::array<bool, most_settings> differences(const Communicator& comm, std::span<const Setting> settings) {
  std::array<std::uint64_t, 2 * most_settings> most{};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    most[2 * i] = hash_of(settings[i]);
    most[2 * i + 1] = ~most[2 * i];
  }
  comm.max(std::span(most).first(2 * settings.size()));
  std::array<bool, most_settings> differ{};
  for (std::size_t i = 0; i < settings.size(); ++i) differ[i] = most[2 * i] != ~most[2 * i + 1];
  return differ;
}

// A hash for each peer of what is sent to it, and of what comes from it, in order.
struct Lists {
  std::vector<std::uint64_t> sent, expected, announced;

  Lists(const Communicator& comm, const CommunicationPattern& pattern)
      : sent(usize(comm.size())), expected(usize(comm.size())), announced(usize(comm.size())) {
    for (std::size_t phase = 0; phase < pattern.phase.size(); ++phase) {
      for (const Envelope& m : pattern.phase[phase].out) append(sent, phase, m);
      for (const Envelope& m : pattern.phase[phase].in) append(expected, phase, m);
    }
  }

 private:
  static void append(std::vector<std::uint64_t>& lists, std::size_t phase, const Envelope& m) {
    std::uint64_t& list = lists[usize(m.peer)];
    for (const Offset word : {static_cast<Offset>(phase), m.name, m.rows})
      list = mixed(list, static_cast<std::uint64_t>(word));
  }
};

}  // namespace

Setting::Setting(const char* the_name, std::string_view value) : name(the_name) {
  std::copy_n(value.data(), std::min(value.size(), text.size() - 1), text.data());
}

void require_same(const Communicator& comm, std::span<const Setting> settings) {
  const auto differ = differences(comm, settings);
  const auto at = std::find(differ.begin(), differ.end(), true);
  if (at == differ.end()) return;
  const Setting& mine = settings[static_cast<std::size_t>(at - differ.begin())];
  auto root = mine.text;
  comm.broadcast(root);
  // The lowest rank that has another.
  const Index other =
      comm.size() - static_cast<Index>(comm.max(Offset{root == mine.text ? 0 : comm.size() - comm.rank()}));
  auto theirs = mine.text;
  comm.broadcast(theirs, other);
  agree_on_error(comm, [&] {
    std::string names;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      if (differ[i]) names += (names.empty() ? "" : ", ") + std::string(settings[i].name);
    }
    throw Error(ErrorKind::usage,
                fmt::format("ranks differ in {}: {} is {} on rank 0, but {} on rank {}", names, mine.name,
                            root.data(), theirs.data(), other),
                "pass the same on every rank");
  });
}

void require_matching(const Communicator& comm, const CommunicationPattern& pattern) {
  Lists lists = [&] {
    std::optional<Lists> made;
    agree_on_error(comm, [&] { made.emplace(comm, pattern); });
    return std::move(*made);
  }();
  check(MPI_Alltoall(lists.sent.data(), 1, MPI_UINT64_T, lists.announced.data(), 1, MPI_UINT64_T,
                     comm.handle()),
        "MPI_Alltoall");
  agree_on_error(comm, [&] {
    const auto differ =
        std::mismatch(lists.announced.begin(), lists.announced.end(), lists.expected.begin()).first;
    if (differ == lists.announced.end()) return;
    throw Error(ErrorKind::usage,
                fmt::format("the plans of ranks {} and {} differ in the messages from one to the other",
                            differ - lists.announced.begin(), comm.rank()),
                "make the solvers with the same schedule, trees and mapping on every rank");
  });
}

}  // namespace trisweep::mpi
