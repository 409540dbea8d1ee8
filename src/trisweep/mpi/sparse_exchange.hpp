#pragma once
// Exchange of lists of which only the senders know: the dynamic sparse data exchange of Hoefler, Siebert and
// Lumsdaine (2010), algorithm NBX.
//
// Each rank passes one list for each of some ranks, and gets the lists addressed to it, ordered by sender.
// The exchange costs one synchronous message for each list and a non-blocking barrier, which is log2 P
// messages per rank; it takes memory for these lists alone.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// What one rank sends to another.
template <class V>
struct ListOfRank {
  Index rank;  // to whom; once received, from whom
  std::vector<V> entry;
};

// The lists that are not empty, given one for each rank.
template <class V>
std::vector<ListOfRank<V>> lists_of_ranks(std::vector<std::vector<V>> by_rank) {
  std::vector<ListOfRank<V>> lists;
  for (std::size_t r = 0; r < by_rank.size(); ++r) {
    if (!by_rank[r].empty()) lists.push_back({static_cast<Index>(r), std::move(by_rank[r])});
  }
  return lists;
}

struct BytesToSend {
  Index to;
  std::span<const std::byte> bytes;
};
// Provides memory for the list of a rank: from(rank, bytes).
class ListRoom {
 public:
  virtual ~ListRoom() = default;
  virtual void* from(Index rank, std::size_t bytes) = 0;
};
// Collective. If it throws, `lists`, `requests` (one more than lists) and `room` must be kept: messages may
// be in flight.
void exchange_bytes(const Communicator& comm, std::span<const BytesToSend> lists,
                    std::span<MPI_Request> requests, ListRoom& room);

// Collective. At most one list for each rank, this one included. An error of one rank revokes `comm`.
template <class V>
requires std::is_trivially_copyable_v<V> std::vector<ListOfRank<V>> exchange_lists(
    const Communicator& comm, std::vector<ListOfRank<V>> lists) {
  struct Exchange final : ListRoom {
    std::vector<ListOfRank<V>> sent, received;
    std::vector<BytesToSend> bytes;
    std::vector<MPI_Request> requests;

    explicit Exchange(std::vector<ListOfRank<V>> lists) : sent(std::move(lists)), requests(sent.size() + 1) {
      for (const auto& list : sent) bytes.push_back({list.rank, std::as_bytes(std::span(list.entry))});
    }
    void* from(Index rank, std::size_t size) override {
      return received.emplace_back(ListOfRank<V>{rank, std::vector<V>(size / sizeof(V))}).entry.data();
    }
  };
  auto exchange = agree_on_error(comm, [&] { return std::make_unique<Exchange>(std::move(lists)); });
  try {
    revoke_on_error(comm, [&] { exchange_bytes(comm, exchange->bytes, exchange->requests, *exchange); });
  } catch (...) {
    static_cast<void>(exchange.release());
    throw;
  }
  std::ranges::sort(exchange->received, {}, &ListOfRank<V>::rank);
  return std::move(exchange->received);
}

}  // namespace trisweep::mpi
