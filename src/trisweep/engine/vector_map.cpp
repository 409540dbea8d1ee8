#include "trisweep/engine/vector_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "trisweep/kernels/line.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::engine {
namespace {
constexpr int tag_vector = 1;

// Which rows are moved: the caller's row[i] to or from the permuted row at(i), which is all its right-hand
// sides, times scale[row[i]] (null: 1).
template <class Real, class At>
struct Rows {
  std::span<const Index> row;
  const Real* scale;
  At at;

  Real factor(std::size_t i) const { return scale == nullptr ? Real{1} : scale[usize(row[i])]; }
};

// What becomes of an entry of the caller's and its permuted one; and of a line of all columns.
template <class T>
struct Load {
  void operator()(const T& from, T& to, RealOf<T> factor) const { to = from * factor; }
  void operator()(const T* column, Offset ld, const kernels::LineRows<T>& rows) const {
    kernels::load_line(column, ld, rows);
  }
};
template <class T>
struct Store {
  void operator()(T& to, const T& from, RealOf<T> factor) const { to = from * factor; }
  void operator()(T* column, Offset ld, const kernels::LineRows<T>& rows) const {
    kernels::store_line(column, ld, rows);
  }
};

// Rows [begin, end) of one column. The permuted rows lie anywhere, and are fetched early.
template <class T, class R, class Transfer>
void move_column(T* column, const R& rows, std::size_t begin, std::size_t end, const Transfer& transfer) {
  constexpr std::size_t ahead = 128;
  for (std::size_t i = begin; i < end; ++i) {
    __builtin_prefetch(rows.at(std::min(i + ahead, end - 1)), std::is_const_v<T>);
    transfer(column[rows.row[i]], *rows.at(i), rows.factor(i));
  }
}

// Rows [begin, end) of all columns, whole lines where rows are consecutive.
template <class T, class R, class Transfer>
void move_columns(Vectors<T> caller, const R& rows, std::size_t begin, std::size_t end,
                  const Transfer& transfer) {
  using V = std::remove_const_t<T>;
  constexpr std::size_t together = kernels::line_rows<V>;
  kernels::LineRows<V> line{.row = {}, .factor = {}, .nrhs = caller.cols};
  for (std::size_t first = begin; first < end; first += together) {
    const std::size_t count = std::min(together, end - first);
    const Index* const row = rows.row.data() + first;
    bool consecutive = count == together;
    for (std::size_t i = 0; i < count; ++i) {
      consecutive &= row[i] == row[0] + static_cast<Index>(i);
      line.row[i] = rows.at(first + i);
      line.factor[i] = rows.factor(first + i);
    }
    if (consecutive) {
      transfer(caller.data + row[0], caller.ld, line);
      continue;
    }
    for (Index r = 0; r < caller.cols; ++r) {
      T* const column = caller.data + r * caller.ld;
      for (std::size_t i = 0; i < count; ++i) transfer(column[row[i]], line.row[i][r], line.factor[i]);
    }
  }
}

// Moves all entries; each thread has a part of the rows.
template <class T, class R, class Transfer>
void move_rows(Crew& crew, Vectors<T> caller, const R& rows, const Transfer& transfer) {
  crew.run([&](int thread) {
    const auto [begin, end] = crew.part(thread, rows.row.size(), kernels::line_rows<std::remove_const_t<T>>);
    if (caller.cols == 1) {
      move_column(caller.data, rows, begin, end, transfer);
    } else {
      move_columns(caller, rows, begin, end, transfer);
    }
  });
}

}  // namespace

template <Scalar T>
VectorMap<T>::VectorMap(const transport::Team& team, const symbolic::Structure& structure,
                        const distribution::Mapping& mapping, const distribution::Share& share,
                        const distribution::RowPartition& partition, const std::vector<Index>& new_of_old,
                        const std::vector<double>& scale)
    : comm_(team.comm), crew_(team.crew) {
  const Index me = comm_.rank(), first = partition.first(me), count = partition.count(me);
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
  const auto own_scale = std::span(scale).subspan(usize(first), usize(count));
  if (!std::all_of(own_scale.begin(), own_scale.end(), [](double s) { return s == 1; }))
    scale_.assign(own_scale.begin(), own_scale.end());
  request_.resize(2 * peer_.size());
  status_.resize(request_.size());
  expected_.resize(request_.size());
}

template <Scalar T>
void VectorMap<T>::reserve(Index nrhs) {
  if (nrhs <= room_) return;
  auto caller = zeros<T>(rows_out_ * usize(nrhs), "the right-hand sides");
  auto work = zeros<T>(rows_in_ * usize(nrhs), "the right-hand sides");
  caller_buffer_ = std::move(caller);
  work_buffer_ = std::move(work);
  room_ = nrhs;
}

// Ranks may have been called with different numbers of right-hand sides, none with more than there is room
// for: what comes is received whatever its size, which is looked at then.
template <Scalar T>
void VectorMap<T>::exchange(bool loading, Index nrhs, transport::Patience& patience) {
  std::size_t used = 0;
  const auto post = [&](auto call, T* data, std::size_t entries, Index rank) {
    const transport::Extent extent(entries * sizeof(T), comm_.limits());
    transport::check(
        call(data, extent.count(), extent.type(), rank, tag_vector, comm_.handle(), &request_[used++]),
        "exchange of vectors");
  };
  for (const Peer& p : peer_) {
    const std::size_t rows = loading ? p.position.size() : p.local.size();
    if (rows == 0) continue;
    expected_[used] = rows * usize(nrhs) * sizeof(T);
    post(MPI_Irecv, loading ? at_work(p) : at_caller(p), rows * usize(room_), p.rank);
  }
  const std::size_t receives = used;
  for (const Peer& p : peer_) {
    const std::size_t rows = loading ? p.local.size() : p.position.size();
    if (rows > 0) post(MPI_Isend, loading ? at_caller(p) : at_work(p), rows * usize(nrhs), p.rank);
  }
  patience.wait(static_cast<int>(used), request_.data(), "some rank has not brought its rows of the vectors",
                status_.data());
  for (std::size_t i = 0; i < receives; ++i) {
    transport::check_size(
        {.from = status_[i].MPI_SOURCE, .number = tag_vector, .bytes = transport::bytes_of(status_[i])},
        expected_[i]);
  }
}

template <Scalar T>
template <class Caller, class At, class Transfer>
void VectorMap<T>::move(Vectors<Caller> caller, std::span<const Index> row, const At& at, bool scaled,
                        const Transfer& transfer) {
  move_rows(crew_, caller, Rows<RealOf<T>, At>{row, scaled && !scale_.empty() ? scale_.data() : nullptr, at},
            transfer);
}

template <Scalar T>
void VectorMap<T>::load(Vectors<const T> b, const kernels::Work<T>& work, transport::Patience& patience,
                        bool scaled) {
  const auto read = [&](std::span<const Index> row, const auto& at) { move(b, row, at, scaled, Load<T>()); };
  for (const Peer& p : peer_) {
    T* const to = at_caller(p);
    read(p.local, [&](std::size_t i) { return to + i * usize(b.cols); });
  }
  exchange(true, b.cols, patience);
  read(own_local_, [&](std::size_t i) { return work.at(own_position_[i]); });
  for (const Peer& p : peer_) {
    const T* from = at_work(p);
    for (const Index position : p.position) {
      std::copy_n(from, b.cols, work.at(position));
      from += b.cols;
    }
  }
}

template <Scalar T>
void VectorMap<T>::store(Vectors<T> x, const kernels::Work<T>& work, transport::Patience& patience,
                         bool scaled) {
  for (const Peer& p : peer_) {
    T* to = at_work(p);
    for (const Index position : p.position) to = std::copy_n(work.at(position), x.cols, to);
  }
  exchange(false, x.cols, patience);
  const auto write = [&](std::span<const Index> row, const auto& at) {
    move(x, row, at, scaled, Store<T>());
  };
  write(own_local_, [&](std::size_t i) { return work.at(own_position_[i]); });
  for (const Peer& p : peer_) {
    T* const from = at_caller(p);
    write(p.local, [&](std::size_t i) { return from + i * usize(x.cols); });
  }
}

#define INSTANTIATE(T) template class VectorMap<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
