#include "trisweep/mpi/some_ranks.hpp"

#include <algorithm>

namespace trisweep::mpi {

void broadcast_among(const Communicator& comm, std::span<const Index> ranks, std::size_t root, void* data,
                     std::size_t bytes, Tag tag) {
  const std::size_t count = ranks.size();
  const auto here = static_cast<std::size_t>(std::ranges::find(ranks, comm.rank()) - ranks.begin());
  const std::size_t mine = (here + count - root) % count;  // in the tree
  const auto rank_of = [&](std::size_t place) { return ranks[(place + root) % count]; };
  std::size_t step = 1;
  while (step <= mine) step *= 2;
  if (mine > 0) comm.receive_bytes(data, bytes, rank_of(mine - step / 2), tag);
  for (; mine + step < count; step *= 2) comm.send_bytes(data, bytes, rank_of(mine + step), tag);
}

Index max_among(const Communicator& comm, std::span<const Index> ranks, Index mine, Tag tag) {
  Index largest = mine;
  if (comm.rank() != ranks.front()) {
    comm.send_bytes(&mine, sizeof mine, ranks.front(), tag);
  } else {
    for (const Index rank : ranks.subspan(1)) {
      Index theirs = 0;
      comm.receive_bytes(&theirs, sizeof theirs, rank, tag);
      largest = std::max(largest, theirs);
    }
  }
  broadcast_among(comm, ranks, 0, &largest, sizeof largest, tag);
  return largest;
}

}  // namespace trisweep::mpi
