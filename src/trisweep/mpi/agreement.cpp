#include "trisweep/mpi/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::mpi {
namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return split_mix(seed ^ value);
}

// For each option, true if ranks differ: the largest of its hashes is not the smallest.
std::array<bool, most_settings> differences(const Communicator& comm, std::span<const Setting> settings) {
  std::array<std::uint64_t, 2 * most_settings> most{};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    most[2 * i] = settings[i].hash;
    most[2 * i + 1] = ~most[2 * i];
  }
  comm.max(std::span(most).first(2 * settings.size()));
  std::array<bool, most_settings> differ{};
  for (std::size_t i = 0; i < settings.size(); ++i) differ[i] = most[2 * i] != ~most[2 * i + 1];
  return differ;
}

template <class Messages, class Visit>
void visit_in_order(Messages PhaseMessages::*way, const CommunicationPattern& pattern, const Visit& visit) {
  for (std::size_t phase = 0; phase < pattern.phase.size(); ++phase)
    for (const Envelope& m : pattern.phase[phase].*way) visit(phase, m);
}

std::uint64_t appended(std::uint64_t list, std::size_t phase, const Envelope& m) {
  for (const Offset word : {static_cast<Offset>(phase), m.name, m.rows})
    list = mixed(list, static_cast<std::uint64_t>(word));
  return list;
}

// For each peer, a hash of the ordered list of messages sent to it, and of those expected from it.
// `imbalance`: the sum, over all messages, of the hash of the list up to that message; sent messages count
// positive, expected ones negative. Summed over all ranks it is zero if all lists match.
struct Lists {
  std::map<Index, std::uint64_t> sent, expected;
  std::uint64_t imbalance = 0;

  Lists(Index rank, const CommunicationPattern& pattern) {
    const auto pair = [](Index from, Index to) {
      return mixed(static_cast<std::uint64_t>(from) + 1, static_cast<std::uint64_t>(to));
    };
    visit_in_order(&PhaseMessages::out, pattern, [&](std::size_t phase, const Envelope& m) {
      auto& list = sent.try_emplace(m.peer, pair(rank, m.peer)).first->second;
      imbalance += list = appended(list, phase, m);
    });
    visit_in_order(&PhaseMessages::in, pattern, [&](std::size_t phase, const Envelope& m) {
      auto& list = expected.try_emplace(m.peer, pair(m.peer, rank)).first->second;
      imbalance -= list = appended(list, phase, m);
    });
  }
};

}  // namespace

Setting::Setting(const char* the_name, std::string_view value) : name(the_name) {
  for (const char c : value) hash = mixed(hash, static_cast<unsigned char>(c));
  std::copy_n(value.data(), std::min(value.size(), text.size() - 1), text.data());
}

void require_same(const Communicator& comm, std::span<const Setting> settings) {
  const auto differ = differences(comm, settings);
  const auto at = std::find(differ.begin(), differ.end(), true);
  if (at == differ.end()) return;
  const Setting& mine = settings[static_cast<std::size_t>(at - differ.begin())];
  auto root = mine.text;
  std::uint64_t of_root = mine.hash;
  comm.broadcast(root);
  comm.broadcast(of_root);
  // The lowest rank whose value differs from that of rank 0.
  const Index other =
      comm.size() -
      static_cast<Index>(comm.max(Offset{of_root == mine.hash ? 0 : comm.size() - comm.rank()}));
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

// The lists are compared pair by pair only when there is an error to report.
void require_matching(const Communicator& comm, const CommunicationPattern& pattern) {
  const Lists lists = agree_on_error(comm, [&] { return Lists(comm.rank(), pattern); });
  if (comm.sum(lists.imbalance) == 0) return;
  const auto announced = exchange_lists(comm, agree_on_error(comm, [&] {
                                          std::vector<ListOfRank<std::uint64_t>> to_peers;
                                          for (const auto& [peer, hash] : lists.sent)
                                            to_peers.push_back({peer, {hash}});
                                          return to_peers;
                                        }));
  agree_on_error(comm, [&] {
    auto differ = lists.expected;
    for (const auto& [peer, hash] : announced) {
      const auto [at, unexpected] = differ.try_emplace(peer, hash[0]);
      if (!unexpected && at->second == hash[0]) differ.erase(at);
    }
    if (differ.empty()) return;
    throw Error(ErrorKind::usage,
                fmt::format("the plans of ranks {} and {} differ in the messages from one to the other",
                            differ.begin()->first, comm.rank()),
                "make the solvers with the same schedule, trees and mapping on every rank");
  });
}

}  // namespace trisweep::mpi
