#include "trisweep/solve/vector_map.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace trisweep::solve {
namespace {
constexpr int tag_vector = 1;

// Rows that are moved at once: as many as share a cache line of the caller's columns, so that each line is
// fetched once, however far apart columns lie.
constexpr std::size_t together = 8;

// Calls move(the caller's entry, work entry, scale) for `rows` of the caller and all columns, of which
// row_at(i) is the i-th one's work row. Lines of the next rows are fetched early: there are too many columns,
// too far apart, for the hardware to see a pattern.
template <class T, class RowAt, class Move>
void for_each_entry(Columns<T> caller, std::span<const Index> rows, const RowAt& row_at,
                    const RealOf<std::remove_const_t<T>>* scale, const Move& move) {
  constexpr std::size_t ahead = 2 * together;
  constexpr Index few = 8;
  for (std::size_t first = 0; first < rows.size(); first += together) {
    const std::size_t count = std::min(together, rows.size() - first);
    const Index* const row = rows.data() + first;
    decltype(row_at(first)) work[together];
    RealOf<std::remove_const_t<T>> factor[together];
    bool consecutive = count == together;
    for (std::size_t i = 0; i < count; ++i) {
      consecutive = consecutive && row[i] == row[0] + static_cast<Index>(i);
      work[i] = row_at(first + i);
      factor[i] = scale == nullptr ? 1 : scale[row[i]];
    }
    const Index next = first + ahead < rows.size() ? rows[first + ahead] : row[0];
    for (Index r = 0; r < caller.nrhs; ++r) {
      T* const column = caller.data + usize(r) * usize(caller.ld);
      if (caller.nrhs > few) __builtin_prefetch(column + next, !std::is_const_v<T>);
      if (consecutive) {
        T* const entry = column + row[0];
        for (std::size_t i = 0; i < together; ++i) move(entry[i], work[i][r], factor[i]);
      } else {
        for (std::size_t i = 0; i < count; ++i) move(column[row[i]], work[i][r], factor[i]);
      }
    }
  }
}

}  // namespace

Index RowPartition::owner(Index row) const {
  return static_cast<Index>(std::upper_bound(begin.begin(), begin.end(), row) - begin.begin()) - 1;
}

RowPartition even_partition(Index rows, Index ranks) {
  RowPartition partition;
  for (Index r = 0; r <= ranks; ++r) partition.begin.push_back(static_cast<Index>(Offset{rows} * r / ranks));
  return partition;
}

template <Scalar T>
VectorMap<T>::VectorMap(const transport::Communicator& comm, const symbolic::Structure& structure,
                        const distribution::Mapping& mapping, const distribution::Share& share,
                        const RowPartition& partition, const std::vector<Index>& new_of_old,
                        const std::vector<double>& scale) {
  const Index me = comm.rank(), first = partition.first(me), count = partition.count(me);
  std::vector<Index> old_of_new(new_of_old.size());
  for (std::size_t i = 0; i < new_of_old.size(); ++i)
    old_of_new[usize(new_of_old[i])] = static_cast<Index>(i);

  struct Own {
    Index local;
    Index position;
  };
  std::vector<Own> own;
  std::map<Index, Peer> peers;
  const auto peer = [&](Index rank) -> Peer& {
    return peers.try_emplace(rank, Peer{.rank = rank}).first->second;
  };
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const Index home = mapping.home(k);
    const Index slot = home == me ? share.slot[usize(share.local(k))] : -1;
    for (Index j = structure.first[usize(k)]; j < structure.first[usize(k) + 1]; ++j) {
      const Index old = old_of_new[usize(j)], caller = partition.owner(old);
      const Index position = slot + j - structure.first[usize(k)];
      if (home == me && caller == me) {
        own.push_back({old - first, position});
      } else if (caller == me) {
        peer(home).local.push_back(old - first);
      } else if (home == me) {
        peer(caller).position.push_back(position);
      }
    }
  }
  // The caller's rows in order: they are strided, work rows are whole.
  std::sort(own.begin(), own.end(), [](const Own& a, const Own& b) { return a.local < b.local; });
  for (const Own& row : own) {
    own_local_.push_back(row.local);
    own_position_.push_back(row.position);
  }
  for (auto& [rank, p] : peers) {
    p.local_at = rows_out_;
    p.position_at = rows_in_;
    rows_out_ += p.local.size();
    rows_in_ += p.position.size();
    peer_.push_back(std::move(p));
  }
  for (Index i = 0; i < count; ++i) scale_.push_back(static_cast<RealOf<T>>(scale[usize(first + i)]));
  request_.resize(2 * peer_.size());
}

template <Scalar T>
void VectorMap<T>::reserve(Index nrhs) {
  if (caller_buffer_.size() < rows_out_ * usize(nrhs)) caller_buffer_.resize(rows_out_ * usize(nrhs));
  if (work_buffer_.size() < rows_in_ * usize(nrhs)) work_buffer_.resize(rows_in_ * usize(nrhs));
}

template <Scalar T>
void VectorMap<T>::exchange(const transport::Communicator& comm, bool loading, Index nrhs,
                            transport::Patience& patience) {
  std::size_t used = 0;
  for (const Peer& p : peer_) {
    T* const at_caller = caller_buffer_.data() + p.local_at * usize(nrhs);
    T* const at_work = work_buffer_.data() + p.position_at * usize(nrhs);
    const auto post = [&](auto call, T* data, std::size_t rows) {
      if (rows == 0) return;
      const int bytes = static_cast<int>(rows * usize(nrhs) * sizeof(T));
      transport::check(call(data, bytes, MPI_BYTE, p.rank, tag_vector, comm.handle(), &request_[used++]),
                       "exchange of vectors");
    };
    post(MPI_Isend, loading ? at_caller : at_work, loading ? p.local.size() : p.position.size());
    post(MPI_Irecv, loading ? at_work : at_caller, loading ? p.position.size() : p.local.size());
  }
  patience.wait(static_cast<int>(used), request_.data(), "some rank has not brought its rows of the vectors");
}

template <Scalar T>
void VectorMap<T>::load(const transport::Communicator& comm, Columns<const T> b, const kernels::Work<T>& work,
                        transport::Patience& patience, bool scaled) {
  reserve(b.nrhs);
  const auto read = [&](std::span<const Index> rows, auto&& row_at) {
    for_each_entry(b, rows, row_at, scaled ? scale_.data() : nullptr,
                   [](const T& from, T& to, RealOf<T> scale) { to = from * scale; });
  };
  for (const Peer& p : peer_) {
    T* const to = caller_buffer_.data() + p.local_at * usize(b.nrhs);
    read(p.local, [&](std::size_t i) { return to + i * usize(b.nrhs); });
  }
  exchange(comm, true, b.nrhs, patience);
  read(own_local_, [&](std::size_t i) { return work.at(own_position_[i]); });
  for (const Peer& p : peer_) {
    const T* from = work_buffer_.data() + p.position_at * usize(b.nrhs);
    for (const Index position : p.position) {
      std::copy_n(from, b.nrhs, work.at(position));
      from += b.nrhs;
    }
  }
}

template <Scalar T>
void VectorMap<T>::store(const transport::Communicator& comm, Columns<T> x, const kernels::Work<T>& work,
                         transport::Patience& patience, bool scaled) {
  reserve(x.nrhs);
  for (const Peer& p : peer_) {
    T* to = work_buffer_.data() + p.position_at * usize(x.nrhs);
    for (const Index position : p.position) to = std::copy_n(work.at(position), x.nrhs, to);
  }
  exchange(comm, false, x.nrhs, patience);
  const auto write = [&](std::span<const Index> rows, auto&& row_at) {
    for_each_entry(x, rows, row_at, scaled ? scale_.data() : nullptr,
                   [](T& to, const T& from, RealOf<T> scale) { to = from * scale; });
  };
  write(own_local_, [&](std::size_t i) { return work.at(own_position_[i]); });
  for (const Peer& p : peer_) {
    const T* const from = caller_buffer_.data() + p.local_at * usize(x.nrhs);
    write(p.local, [&](std::size_t i) { return from + i * usize(x.nrhs); });
  }
}

#define INSTANTIATE(T) template class VectorMap<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
