#include "trisweep/model/rank_timelines.hpp"

#include <algorithm>
#include <bit>

#include "trisweep/model/all_reduce.hpp"

namespace trisweep::model {
namespace {

// Longer messages go in pieces, one after the other (mpi/fault_state.hpp).
constexpr Offset piece_bytes = Offset{1} << 16;

}  // namespace

void RankTimelines::compute(Index rank, double seconds) {
  rank_[usize(rank)].seconds += seconds;
  rank_[usize(rank)].compute_seconds += seconds;
}

// Both ends copy every piece, the receiver while the next one is in flight. Pieces that are not eager wait
// until the receiver is ready.
void RankTimelines::send(Index from, Index to, Offset bytes) {
  FactoringRank &sender = rank_[usize(from)], &receiver = rank_[usize(to)];
  const Network& network = machine_.two_sided;
  const bool inside = from / machine_.ranks_per_node == to / machine_.ranks_per_node;
  const Link& link = inside ? network.inside : network.between;
  const Offset piece = std::min(bytes, piece_bytes), pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const bool eager = double(piece) <= network.eager_bytes;
  const double sending = double(pieces) * link.send_overhead + machine_.copying_seconds(double(bytes));
  const double flight = double(bytes) / link.bandwidth + (eager ? 0 : 2 * double(pieces) * link.latency);
  const double taking = double(pieces) * link.receive_overhead + machine_.copying_seconds(double(piece));

  if (!eager) sender.seconds = std::max(sender.seconds, receiver.seconds);
  const double begin = sender.seconds, busy = sending + (eager ? 0 : flight);
  sender.seconds += busy;
  sender.message_seconds += busy;
  sender.messages += pieces;
  sender.bytes += bytes;
  const double ready = std::max(receiver.seconds, begin);
  receiver.seconds = std::max(receiver.seconds, begin + sending + flight + link.latency) + taking;
  receiver.message_seconds += receiver.seconds - ready;
}

void RankTimelines::broadcast(std::span<const Index> ranks, std::size_t root, Offset bytes) {
  const auto rank_at = [&](std::size_t place) { return ranks[(place + root) % ranks.size()]; };
  for (std::size_t place = 1; place < ranks.size(); ++place)
    send(rank_at(place - std::bit_floor(place)), rank_at(place), bytes);
}

void RankTimelines::agree(std::span<const Index> ranks) {
  for (const Index other : ranks.subspan(1)) send(other, ranks.front(), sizeof(Index));
  broadcast(ranks, 0, sizeof(Index));
}

void RankTimelines::wait_for_all() {
  double last = 0;
  for (const FactoringRank& rank : rank_) last = std::max(last, rank.seconds);
  const Index of_node = std::min(ranks(), machine_.ranks_per_node);
  last += all_reduce_seconds(machine_, (ranks() + of_node - 1) / of_node, of_node, sizeof(double));
  for (FactoringRank& rank : rank_) rank.seconds = last;
}

void RankTimelines::take(Index rank, Offset bytes) {
  Offset& live = live_[usize(rank)];
  live += bytes;
  rank_[usize(rank)].peak_bytes = std::max(rank_[usize(rank)].peak_bytes, live);
}

}  // namespace trisweep::model
