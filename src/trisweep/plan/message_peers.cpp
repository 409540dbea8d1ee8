#include "trisweep/plan/message_peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/core/error.hpp"

namespace trisweep::plan {
namespace {

// Numbers of a receiver's messages, by sender and in the order of its messages.
std::vector<Index> by_sender(const MessagePeers& receiver) {
  std::vector<Index> numbers(receiver.from.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::stable_sort(numbers, {}, [&](Index number) { return receiver.from[usize(number)]; });
  return numbers;
}

}  // namespace

MessagePeers peers_of(const SweepPhase& phase) {
  MessagePeers peers;
  for (const Outgoing& m : phase.outgoing) peers.to.push_back(m.to);
  for (const Incoming& m : phase.incoming) peers.from.push_back(m.from);
  return peers;
}

MessagePeers peers_of(const ExchangePhase& phase) {
  MessagePeers peers;
  for (const ExchangeStep& step : phase.step)
    (step.transfer == Transfer::send ? peers.to : peers.from).push_back(step.rank);
  return peers;
}

MessagePeers peers_of(const DiagonalPhase&) {
  return {};
}

MessagePeers peers_of(const VectorPhase& phase) {
  MessagePeers peers;
  for (const VectorMessage& m : phase.sent) peers.to.push_back(m.rank);
  for (const VectorMessage& m : phase.received) peers.from.push_back(m.rank);
  return peers;
}

// Senders are visited in ascending order, as each receiver lists them.
std::vector<std::vector<Index>> numbers_at_receivers(std::span<const MessagePeers> ranks) {
  std::vector<std::vector<Index>> expected, numbers(ranks.size());
  for (const MessagePeers& rank : ranks) expected.push_back(by_sender(rank));
  std::vector<std::size_t> next(ranks.size(), 0);  // of those expected
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    for (const RankId to : ranks[from].to) {
      const std::size_t at = next[usize(to)]++;
      const auto& list = expected[usize(to)];
      if (at >= list.size() || usize(ranks[usize(to)].from[usize(list[at])]) != from) {
        throw Error(ErrorKind::usage, fmt::format("rank {} sends rank {} a message that it does not wait for",
                                                  from, to.value()));
      }
      numbers[from].push_back(list[at]);
    }
  }
  return numbers;
}

}  // namespace trisweep::plan
