#include "trisweep/solve/fronts_of_ranks.hpp"

#include <algorithm>

#include "trisweep/numeric/front_factorization.hpp"

namespace trisweep::solve {
namespace {

// What precedes the entries of a contribution block.
struct ContributionHeader {
  Index rows = 0;  // -1: the sender has failed, and nothing follows
  Index delayed = 0;
  Offset redone_entries = 0;
};

// Contribution blocks between two ranks: of symmetric ones the lower triangle. They are sent and received in
// the same order, some columns at a time, so that there is one copy of each.
template <Scalar T>
class ContributionChannel {
 public:
  ContributionChannel(const mpi::Communicator& comm, numeric::Kind kind)
      : comm_(comm), with_upper_(numeric::has_upper(kind)), packed_(entries_at_once, "contribution blocks") {}

  void send_failure(Index to) { send_header({.rows = -1}, to); }

  void send(const numeric::FrontContribution<T>& contribution, Index to) {
    const numeric::View<T>& view = contribution.block.view;
    const auto delayed = static_cast<Index>(contribution.block.delayed_row.size());
    send_header({view.rows, delayed, contribution.redone_entries}, to);
    for (const auto* list : {&contribution.block.delayed_row, &contribution.block.delayed_col})
      if (delayed > 0) comm_.send_bytes(list->data(), list->size() * sizeof(Index), to, mpi::Tag::fronts);
    for_each_part(view, [&](Index begin, Index end, std::size_t entries) {
      T* packed = packed_.data();
      for (Index j = begin; j < end; ++j)
        packed = std::copy(view.column(j) + first_row(j), view.column(j) + view.rows, packed);
      comm_.send_bytes(packed_.data(), entries * sizeof(T), to, mpi::Tag::fronts);
    });
  }

  // Nothing: the sender has failed.
  std::optional<numeric::FrontContribution<T>> receive(Index from) {
    ContributionHeader header;
    receive_into(std::span(&header, 1), from);
    if (header.rows < 0) return std::nullopt;
    numeric::FrontContribution<T> contribution{.redone_entries = header.redone_entries};
    numeric::Contribution<T>& block = contribution.block;
    const Index m = header.rows;
    block.owned =
        Buffer<T>(usize(m) * usize(m), "a contribution block of another rank", BufferUse::temporary);
    block.view = {block.owned.data(), m, m, m};
    for (auto* list : {&block.delayed_row, &block.delayed_col}) {
      list->resize(usize(header.delayed));
      if (header.delayed > 0) receive_into(std::span(*list), from);
    }
    for_each_part(block.view, [&](Index begin, Index end, std::size_t entries) {
      receive_into(packed_.span().first(entries), from);
      const T* packed = packed_.data();
      for (Index j = begin; j < end; packed += m - first_row(j), ++j)
        std::copy_n(packed, m - first_row(j), block.view.column(j) + first_row(j));
    });
    return contribution;
  }

 private:
  Index first_row(Index col) const { return with_upper_ ? 0 : col; }

  // Calls visit(begin, end, entries) for the columns of one message after another.
  template <class Visit>
  void for_each_part(const numeric::View<T>& view, const Visit& visit) {
    for (Index begin = 0, end = 0; begin < view.cols; begin = end) {
      std::size_t entries = 0;
      do {
        entries += usize(view.rows - first_row(end++));
      } while (end < view.cols && entries + usize(view.rows - first_row(end)) <= entries_at_once);
      if (packed_.size() < entries) packed_ = Buffer<T>(entries, "contribution blocks");
      visit(begin, end, entries);
    }
  }
  void send_header(const ContributionHeader& header, Index to) {
    comm_.send_bytes(&header, sizeof header, to, mpi::Tag::fronts);
  }
  template <class V>
  void receive_into(std::span<V> to, Index from) {
    comm_.receive_bytes(to.data(), to.size_bytes(), from, mpi::Tag::fronts);
  }

  static constexpr std::size_t entries_at_once = 16384;

  const mpi::Communicator& comm_;
  bool with_upper_;
  Buffer<T> packed_;
};

// This rank's part of a factorization.
template <Scalar T>
class RankFactorization {
 public:
  RankFactorization(const mpi::Communicator& comm, const numeric::Fronts& fronts, const FrontOwners& owners,
                    numeric::FrontFactorization<T>& run, std::span<const char> own)
      : comm_(comm),
        tree_(fronts.tree),
        owner_(owners.of_front),
        run_(run),
        own_(own),
        whole_(numeric::whole_subtrees(fronts.tree, own)),
        channel_(comm, fronts.kind) {}

  // All ranks take part in the fronts of several in the same order, so that of those not done yet all that
  // have a part in the first one are at it: none waits for good.
  bool factor() {
    failed_ = !run_.factor_subtrees();
    for (Index f = 0; f < tree_.fronts(); ++f) {
      for (const Index c : tree_.children(f)) pass(c, f);
      if (own_[usize(f)] && !whole_[usize(f)] && !failed_) failed_ = !run_.factor_front(f);
    }
    return comm_.max(double(failed_)) == 0;
  }

 private:
  // The contribution of a child to its parent.
  void pass(Index child, Index parent) {
    const bool sends = own_[usize(child)] != 0, receives = own_[usize(parent)] != 0;
    if (sends == receives) return;
    if (receives) {
      auto contribution = channel_.receive(owner_[usize(child)]);
      failed_ |= !contribution;
      if (!failed_) run_.put(child, *std::move(contribution));
    } else if (failed_) {
      channel_.send_failure(owner_[usize(parent)]);
    } else {
      channel_.send(run_.take(child), owner_[usize(parent)]);
    }
  }

  const mpi::Communicator& comm_;
  const numeric::FrontTree& tree_;
  const std::span<const Index> owner_;
  numeric::FrontFactorization<T>& run_;
  const std::span<const char> own_;
  const std::vector<char> whole_;
  ContributionChannel<T> channel_;
  bool failed_ = false;
};

// The fronts of all ranks whose pivots came to other places, of others' without their values.
template <Scalar T>
numeric::RedoneFronts<T> redone_anywhere(const mpi::Communicator& comm, numeric::RedoneFronts<T> here) {
  if (comm.max(double(here.front.size())) == 0) return here;
  const auto shapes = mpi::agree_on_error(comm, [&] { return numeric::shapes_of(here); });
  std::vector<Index> all;  // of all ranks, one after the other
  std::vector<Offset> begin;
  const std::vector<std::vector<Index>> by_rank = comm.gather(shapes);
  mpi::agree_on_error(comm, [&] {
    for (const std::vector<Index>& of_rank : by_rank) {
      begin.push_back(std::ssize(all));
      all.insert(all.end(), of_rank.begin(), of_rank.end());
    }
    begin.push_back(std::ssize(all));
  });
  comm.broadcast(all);
  comm.broadcast(begin);
  mpi::agree_on_error(comm, [&] {
    for (Index r = 0; r < comm.size(); ++r) {
      if (r != comm.rank())
        numeric::add_shapes<T>({all.data() + begin[usize(r)], all.data() + begin[usize(r) + 1]}, here);
    }
  });
  return here;
}

}  // namespace

template <Scalar T>
std::optional<numeric::Factors<T>> factor_fronts(const mpi::Communicator& comm, const numeric::Fronts& fronts,
                                                 const FrontOwners& owners,
                                                 const numeric::MatrixValues<T>& values,
                                                 const numeric::FactorizationOptions& options,
                                                 Observer& observer) {
  return mpi::revoke_on_error(comm, [&]() -> std::optional<numeric::Factors<T>> {
    std::vector<char> own;
    std::optional<numeric::FrontFactorization<T>> run;
    std::optional<RankFactorization<T>> here;
    mpi::agree_on_error(comm, [&] {
      own = are_of(owners.of_front, comm.rank());
      run.emplace(fronts, values, options, observer, nullptr, own);
      here.emplace(comm, fronts, owners, *run, own);
    });
    if (!here->factor()) return std::nullopt;
    auto redone = redone_anywhere(comm, run->take_redone());
    return mpi::agree_on_error(comm, [&] { return run->finish(std::move(redone)); });
  });
}

#define INSTANTIATE(T)                                                                                       \
  template std::optional<numeric::Factors<T>> factor_fronts<T>(                                              \
      const mpi::Communicator&, const numeric::Fronts&, const FrontOwners&, const numeric::MatrixValues<T>&, \
      const numeric::FactorizationOptions&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
