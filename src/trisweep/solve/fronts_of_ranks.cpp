#include "trisweep/solve/fronts_of_ranks.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "trisweep/solve/arrowhead_exchange.hpp"

namespace trisweep::solve {
namespace {

// What precedes the entries of a contribution block.
struct ContributionHeader {
  FrontsEnd end = FrontsEnd::done;  // else nothing follows
  Index rows = 0;
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

  void send_end(FrontsEnd end, Index to) { send_header({.end = end}, to); }

  void send(const numeric::FrontContribution<T>& contribution, Index to) {
    const numeric::View<T>& view = contribution.block.view;
    const auto delayed = static_cast<Index>(contribution.block.delayed_row.size());
    send_header({FrontsEnd::done, view.rows, delayed, contribution.redone_entries}, to);
    for (const auto* list : {&contribution.block.delayed_row, &contribution.block.delayed_col})
      if (delayed > 0) comm_.send_bytes(list->data(), list->size() * sizeof(Index), to, mpi::Tag::fronts);
    for_each_part(view, [&](Index begin, Index end, std::size_t entries) {
      T* packed = packed_.data();
      for (Index j = begin; j < end; ++j)
        packed = std::copy(view.column(j) + first_row(j), view.column(j) + view.rows, packed);
      comm_.send_bytes(packed_.data(), entries * sizeof(T), to, mpi::Tag::fronts);
    });
  }

  // Nothing, and how the sender has ended.
  std::optional<numeric::FrontContribution<T>> receive(Index from, FrontsEnd& theirs) {
    ContributionHeader header;
    receive_into(std::span(&header, 1), from);
    theirs = header.end;
    if (theirs != FrontsEnd::done) return std::nullopt;
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
        fronts_(fronts),
        tree_(fronts.tree),
        owners_(owners),
        run_(run),
        own_(own),
        whole_(numeric::whole_subtrees(fronts.tree, own)),
        channel_(comm, fronts.kind) {}

  // All ranks take part in the fronts of several in the same order, so that of those not done yet all that
  // have a part in the first one are at it: none waits for good.
  FrontsEnd factor() {
    if (!run_.factor_subtrees()) end_ = FrontsEnd::other_kind;
    for (Index f = 0; f < tree_.fronts(); ++f) {
      if (owners_.shared.contains(f)) {
        share(f);
        continue;
      }
      for (const Index c : tree_.children(f)) pass(c, f);
      if (own_[usize(f)] && !whole_[usize(f)] && end_ == FrontsEnd::done && !run_.factor_front(f))
        end_ = FrontsEnd::other_kind;
    }
    const auto worst = static_cast<FrontsEnd>(comm_.max(double(end_)));
    for (auto part = shared_.begin(); part != shared_.end(); part = shared_.erase(part)) {
      if (worst == FrontsEnd::done) part->second->finish();
    }
    return worst;
  }

 private:
  // Of the rows of a front's contribution block.
  numeric::Arrowheads shape_of_contribution(Index f) const {
    const auto shared = owners_.shared.find(f);
    if (shared != owners_.shared.end()) return shared->second.contribution();
    return {.begin = {0, tree_.height[usize(f)]}, .owner = {owners_.of_front[usize(f)]}};
  }

  void share(Index f) {
    const SharedFront& front = owners_.shared.at(f);
    std::vector<Index> ranks = front.arrowheads.owners();
    const bool shares = std::ranges::binary_search(ranks, comm_.rank());
    FrontsEnd mine = end_;
    for (const Index c : tree_.children(f)) {
      std::ranges::copy(shape_of_contribution(c).owners(), std::back_inserter(ranks));
      if (own_[usize(c)] && end_ == FrontsEnd::done && run_.has_delayed(c)) mine = FrontsEnd::delays;
    }
    if (!agree(ranks, mine)) return;
    const std::span<const Index> keeper = owners_.of_supernode;
    SharedElimination<T>* part = nullptr;
    if (shares) {
      part = (shared_[f] = std::make_unique<SharedElimination<T>>(comm_, front, f, keeper, run_)).get();
    }
    const numeric::ArrowheadMatrix<T> to =
        part ? part->assembled() : numeric::ArrowheadMatrix<T>{front.arrowheads, {}};
    for (const Index c : tree_.children(f)) add(c, fronts_.places_in_parent(c), to);
    if (!part) return;
    end_ = std::max(end_, part->eliminate());
    if (end_ == FrontsEnd::done) part->bring_together();
  }

  // Adds a child's contribution, which is freed.
  void add(Index child, std::span<const Index> places, const numeric::ArrowheadMatrix<T>& to) {
    const numeric::Arrowheads shape = shape_of_contribution(child);
    const auto shared = shared_.find(child);
    numeric::FrontContribution<T> alone;
    numeric::Panel<T> panel{.supernode = -1, .start = 0, .diagonal = {}, .lower = {}, .upper = {}};
    if (own_[usize(child)]) {
      alone = run_.take(child);
      panel.diagonal = alone.block.view;
    }
    const std::span<const numeric::Panel<T>> panels =
        shared != shared_.end() ? shared->second->contribution().panel : std::span(&panel, 1);
    add_arrowheads<T>(comm_, fronts_.kind, {shape, panels}, places, to);
    if (shared != shared_.end()) shared->second->free_contribution();
  }

  // The contribution of a child to its parent, which is one rank's.
  void pass(Index child, Index parent) {
    const Index to = owners_.of_front[usize(parent)];
    if (owners_.shared.contains(child)) return pass_of_several(child, to);
    const bool sends = own_[usize(child)] != 0, receives = own_[usize(parent)] != 0;
    if (sends == receives) return;
    if (receives) {
      FrontsEnd theirs{};
      auto contribution = channel_.receive(owners_.of_front[usize(child)], theirs);
      end_ = std::max(end_, theirs);
      if (end_ == FrontsEnd::done) run_.put(child, *std::move(contribution));
    } else if (end_ != FrontsEnd::done) {
      channel_.send_end(end_, to);
    } else {
      channel_.send(run_.take(child), to);
    }
  }

  void pass_of_several(Index child, Index to) {
    std::vector<Index> ranks = shape_of_contribution(child).owners();
    ranks.push_back(to);
    if (!agree(ranks, end_)) return;
    const Index m = tree_.height[usize(child)];
    const numeric::Arrowheads square{.begin = {0, m}, .owner = {to}};
    numeric::FrontContribution<T> contribution;
    numeric::Contribution<T>& block = contribution.block;
    if (to == comm_.rank()) {
      block.owned =
          Buffer<T>(usize(m) * usize(m), "a contribution block of other ranks", BufferUse::temporary);
      std::fill_n(block.owned.data(), block.owned.size(), T(0));
      block.view = {block.owned.data(), m, m, m};
    }
    const numeric::Panel<T> panel{
        .supernode = -1, .start = 0, .diagonal = {block.owned.data(), m, m, m}, .lower = {}, .upper = {}};
    std::vector<Index> places(usize(m));
    std::iota(places.begin(), places.end(), 0);
    add(child, places, {square, std::span(&panel, 1)});
    if (to == comm_.rank()) run_.put(child, std::move(contribution));
  }

  // Among `ranks` of any order, of which this one need not be: whether all go on.
  bool agree(std::vector<Index>& ranks, FrontsEnd mine) {
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (!std::ranges::binary_search(ranks, comm_.rank())) return false;
    end_ = worst_among(comm_, ranks, mine);
    return end_ == FrontsEnd::done;
  }

  const mpi::Communicator& comm_;
  const numeric::Fronts& fronts_;
  const numeric::FrontTree& tree_;
  const FrontOwners& owners_;
  numeric::FrontFactorization<T>& run_;
  const std::span<const char> own_;
  const std::vector<char> whole_;
  ContributionChannel<T> channel_;
  std::map<Index, std::unique_ptr<SharedElimination<T>>> shared_;  // by front, of this rank
  FrontsEnd end_ = FrontsEnd::done;
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
FactoredFronts<T> factor_fronts(const mpi::Communicator& comm, const numeric::Fronts& fronts,
                                const FrontOwners& owners, const numeric::MatrixValues<T>& values,
                                const numeric::FactorizationOptions& options, Observer& observer) {
  return mpi::revoke_on_error(comm, [&]() -> FactoredFronts<T> {
    std::vector<char> own;
    std::optional<numeric::FrontFactorization<T>> run;
    std::optional<RankFactorization<T>> here;
    mpi::agree_on_error(comm, [&] {
      own = are_of(owners.of_front, comm.rank());
      run.emplace(fronts, values, options, observer, nullptr, own);
      here.emplace(comm, fronts, owners, *run, own);
    });
    if (const FrontsEnd end = here->factor(); end != FrontsEnd::done) return {end};
    auto redone = redone_anywhere(comm, run->take_redone());
    return mpi::agree_on_error(comm, [&] {
      return FactoredFronts<T>{FrontsEnd::done, run->finish(std::move(redone))};
    });
  });
}

#define INSTANTIATE(T)                                                                             \
  template FactoredFronts<T> factor_fronts<T>(const mpi::Communicator&, const numeric::Fronts&,    \
                                              const FrontOwners&, const numeric::MatrixValues<T>&, \
                                              const numeric::FactorizationOptions&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
