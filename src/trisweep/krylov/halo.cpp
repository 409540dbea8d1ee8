#include "trisweep/krylov/halo.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/mpi/sparse_exchange.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::krylov {

template <Scalar T>
Halo<T>::Halo(const mpi::Communicator& comm, const distribution::RowPartition& partition,
              const std::vector<Index>& ghosts)
    : rows_(partition.count(comm.rank())) {
  using List = mpi::ListOfRank<Index>;
  const auto asked = mpi::exchange_lists(
      comm, mpi::agree_on_error(comm, [&] {
        std::vector<List> wanted;  // for each owner, its ghosts in ascending order
        for (std::size_t i = 0; i < ghosts.size();) {
          const Index owner = partition.owner(ghosts[i]);
          List& list = wanted.emplace_back(List{owner, {}});
          neighbour_.push_back(
              {.rank = owner, .owned = {}, .ghost_begin = static_cast<Index>(i), .ghost_end = 0});
          for (; i < ghosts.size() && ghosts[i] < partition.first(owner + 1); ++i)
            list.entry.push_back(ghosts[i]);
          neighbour_.back().ghost_end = static_cast<Index>(i);
        }
        return wanted;
      }));
  mpi::agree_on_error(comm, [&] {
    for (const List& list : asked) {
      auto at = std::ranges::lower_bound(neighbour_, list.rank, {}, &Neighbour::rank);
      if (at == neighbour_.end() || at->rank != list.rank) at = neighbour_.insert(at, {.rank = list.rank});
      for (const Index row : list.entry) at->owned.push_back(row - partition.first(comm.rank()));
      lent_ += list.entry.size();
    }
    request_.resize(2 * neighbour_.size());
  });
}

template <Scalar T>
void Halo<T>::reserve(Index width) {
  lending_ = zeros<T>(lent_ * usize(width), "the entries that other ranks read");
}

template <Scalar T>
void Halo<T>::exchange(const mpi::Communicator& comm, bool reversed, T* extended, Index width) {
  const std::size_t row = usize(width);
  T* const ghosts = extended + usize(rows_) * row;
  std::size_t used = 0;
  constexpr int tag = static_cast<int>(mpi::Tag::ghosts);
  const auto post = [&](auto call, T* data, std::size_t rows, Index rank) {
    const mpi::Extent extent(rows * row * sizeof(T), comm.limits());
    mpi::check(call(data, extent.count(), extent.type(), rank, tag, comm.handle(), &request_[used++]),
               "exchange of ghosts");
  };
  T* owned = lending_.data();
  for (const Neighbour& n : neighbour_) {
    if (!reversed) {
      T* to = owned;
      for (const Index i : n.owned) to = std::copy_n(extended + usize(i) * row, row, to);
    }
    T* const theirs = ghosts + usize(n.ghost_begin) * row;
    const std::size_t ghost_rows = usize(n.ghost_end - n.ghost_begin);
    reversed ? post(MPI_Isend, theirs, ghost_rows, n.rank) : post(MPI_Isend, owned, n.owned.size(), n.rank);
    reversed ? post(MPI_Irecv, owned, n.owned.size(), n.rank) : post(MPI_Irecv, theirs, ghost_rows, n.rank);
    owned += n.owned.size() * row;
  }
  mpi::Watchdog(comm).wait(static_cast<int>(used), request_.data(),
                           "a rank has not sent its part of a product");
  if (!reversed) return;
  owned = lending_.data();
  for (const Neighbour& n : neighbour_) {
    for (const Index i : n.owned) {
      T* const to = extended + usize(i) * row;
      std::transform(to, to + row, owned, to, std::plus<>{});
      owned += row;
    }
  }
}

#define INSTANTIATE(T) template class Halo<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
