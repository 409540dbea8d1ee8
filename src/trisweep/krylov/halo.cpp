#include "trisweep/krylov/halo.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::krylov {

template <Scalar T>
Halo<T>::Halo(const mpi::Communicator& comm, const distribution::RowPartition& partition,
              const std::vector<Index>& ghosts)
    : rows_(partition.count(comm.rank())) {
  const Index ranks = comm.size();
  std::vector<int> wanted, asked, wanted_at, asked_at;
  mpi::agree_on_error(comm, [&] {
    for (auto* list : {&wanted, &asked, &wanted_at, &asked_at}) list->resize(usize(ranks));
    for (const Index j : ghosts) ++wanted[usize(partition.owner(j))];
  });
  mpi::check(MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, comm.handle()),
             "MPI_Alltoall");
  std::vector<Index> rows;
  mpi::agree_on_error(comm, [&] {
    std::exclusive_scan(wanted.begin(), wanted.end(), wanted_at.begin(), 0);
    std::exclusive_scan(asked.begin(), asked.end(), asked_at.begin(), 0);
    rows.resize(std::accumulate(asked.begin(), asked.end(), std::size_t{0}));
    if (rows.size() > usize(std::numeric_limits<int>::max()))
      throw Error(ErrorKind::environment, "more rows of this rank are needed elsewhere than MPI counts",
                  "use fewer ranks");
  });
  mpi::check(MPI_Alltoallv(ghosts.data(), wanted.data(), wanted_at.data(), MPI_INT32_T, rows.data(),
                           asked.data(), asked_at.data(), MPI_INT32_T, comm.handle()),
             "MPI_Alltoallv");
  mpi::agree_on_error(comm, [&] {
    for (Index& row : rows) row -= partition.first(comm.rank());
    for (Index r = 0; r < ranks; ++r) {
      if (wanted[usize(r)] == 0 && asked[usize(r)] == 0) continue;
      const auto begin = rows.begin() + asked_at[usize(r)];
      neighbour_.push_back({.rank = r,
                            .owned = {begin, begin + asked[usize(r)]},
                            .ghost_begin = wanted_at[usize(r)],
                            .ghost_end = wanted_at[usize(r)] + wanted[usize(r)]});
    }
    lent_ = rows.size();
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
  mpi::Watchdog(std::numeric_limits<double>::infinity(), &comm)
      .wait(static_cast<int>(used), request_.data(), "a rank has not sent its part of a product");
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
