#include "trisweep/solve/fronts_of_ranks.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "trisweep/mpi/some_ranks.hpp"
#include "trisweep/solve/arrowhead_exchange.hpp"

namespace trisweep::solve {
namespace {

// Of a contribution block between two ranks, before its entries.
struct ContributionHeader {
  FrontsEnd end = FrontsEnd::done;  // else nothing follows
  Index rows = 0;
  Index delayed = 0;
  Offset redone_entries = 0;
};

// This rank's part of a factorization.
template <Scalar T>
class RankFactorization {
 public:
  RankFactorization(const mpi::Communicator& comm, const numeric::Fronts& fronts,
                    const distribution::FrontOwners& owners, numeric::FrontFactorization<T>& run,
                    std::span<const char> own)
      : comm_(comm),
        fronts_(fronts),
        tree_(fronts.tree),
        owners_(owners),
        run_(run),
        own_(own),
        whole_(numeric::whole_subtrees(fronts.tree, own)) {}

  // All ranks take part in the fronts of several in the same order, so that of those not done yet all that
  // have a part in the first one are at it: none waits for good.
  FrontsEnd factor() {
    if (!run_.factor_subtrees()) end_ = FrontsEnd::other_kind;
    for (const Index f : owners_.order) {
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
    return owners_.contribution(f, tree_.height[usize(f)]);
  }

  void share(Index f) {
    const distribution::SharedFront& front = owners_.shared.at(f);
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
    if (own_[usize(child)]) alone = run_.take(child);
    const numeric::Panel<T> panel = in_one_panel(alone.block.view);
    const std::span<const numeric::Panel<T>> panels =
        shared != shared_.end() ? shared->second->contribution().panel : std::span(&panel, 1);
    add_arrowheads<T>(comm_, fronts_.kind, {shape, panels}, places, to);
    if (shared != shared_.end()) shared->second->free_contribution();
  }

  // The contribution of a child to its parent, which is one rank's.
  void pass(Index child, Index parent) {
    const Index to = owners_.of_front[usize(parent)];
    if (owners_.shared.contains(child)) return pass_of_several(child, to);
    if (own_[usize(child)] == own_[usize(parent)]) return;
    if (own_[usize(child)]) {
      send(child, to);
    } else {
      receive(child);
    }
  }

  void pass_of_several(Index child, Index to) {
    std::vector<Index> ranks = shape_of_contribution(child).owners();
    ranks.push_back(to);
    if (!agree(ranks, end_)) return;
    const Index m = tree_.height[usize(child)];
    const numeric::Arrowheads square{.begin = {0, m}, .owner = {to}};
    if (to != comm_.rank()) return add(child, all_rows(m), {square, {}});
    numeric::FrontContribution<T> contribution;
    const numeric::Panel<T> panel = make_room(m, contribution.block);
    add(child, all_rows(m), {square, std::span(&panel, 1)});
    run_.put(child, std::move(contribution));
  }

  void send(Index child, Index to) {
    ContributionHeader header{.end = end_};
    if (end_ != FrontsEnd::done) return comm_.send_bytes(&header, sizeof header, to, mpi::Tag::fronts);
    const numeric::FrontContribution<T> contribution = run_.take(child);
    const numeric::Contribution<T>& block = contribution.block;
    header.rows = block.view.rows;
    header.delayed = static_cast<Index>(block.delayed_row.size());
    header.redone_entries = contribution.redone_entries;
    comm_.send_bytes(&header, sizeof header, to, mpi::Tag::fronts);
    for (const auto* list : {&block.delayed_row, &block.delayed_col})
      comm_.send_bytes(list->data(), list->size() * sizeof(Index), to, mpi::Tag::fronts);
    const numeric::Panel<T> panel = in_one_panel(block.view);
    const numeric::Arrowheads here{.begin = {0, header.rows}, .owner = {comm_.rank()}};
    const numeric::Arrowheads there{.begin = {0, header.rows}, .owner = {to}};
    add_arrowheads<T>(comm_, fronts_.kind, {here, std::span(&panel, 1)}, all_rows(header.rows), {there, {}});
  }

  void receive(Index child) {
    const Index from = owners_.of_front[usize(child)];
    ContributionHeader header;
    comm_.receive_bytes(&header, sizeof header, from, mpi::Tag::fronts);
    end_ = std::max(end_, header.end);
    if (header.end != FrontsEnd::done) return;
    numeric::FrontContribution<T> contribution{.redone_entries = header.redone_entries};
    numeric::Contribution<T>& block = contribution.block;
    for (auto* list : {&block.delayed_row, &block.delayed_col}) {
      list->resize(usize(header.delayed));
      comm_.receive_bytes(list->data(), list->size() * sizeof(Index), from, mpi::Tag::fronts);
    }
    const numeric::Panel<T> panel = make_room(header.rows, block);
    const numeric::Arrowheads there{.begin = {0, header.rows}, .owner = {from}};
    const numeric::Arrowheads here{.begin = {0, header.rows}, .owner = {comm_.rank()}};
    add_arrowheads<T>(comm_, fronts_.kind, {there, {}}, all_rows(header.rows), {here, std::span(&panel, 1)});
    if (end_ == FrontsEnd::done) run_.put(child, std::move(contribution));
  }

  // For sums.
  static numeric::Panel<T> make_room(Index rows, numeric::Contribution<T>& block) {
    block.owned =
        Buffer<T>(usize(rows) * usize(rows), "a contribution block of other ranks", BufferUse::temporary);
    std::fill_n(block.owned.data(), block.owned.size(), T(0));
    block.view = {block.owned.data(), rows, rows, rows};
    return in_one_panel(block.view);
  }
  static numeric::Panel<T> in_one_panel(const numeric::View<T>& block) {
    return {.supernode = -1, .start = 0, .diagonal = block, .lower = {}, .upper = {}};
  }
  static std::vector<Index> all_rows(Index rows) {
    std::vector<Index> places(usize(rows));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }

  // Among `ranks` of any order, of which this one need not be: whether all go on.
  bool agree(std::vector<Index>& ranks, FrontsEnd mine) {
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (!std::ranges::binary_search(ranks, comm_.rank())) return false;
    end_ = static_cast<FrontsEnd>(mpi::max_among(comm_, ranks, static_cast<Index>(mine), mpi::Tag::fronts));
    return end_ == FrontsEnd::done;
  }

  const mpi::Communicator& comm_;
  const numeric::Fronts& fronts_;
  const numeric::FrontTree& tree_;
  const distribution::FrontOwners& owners_;
  numeric::FrontFactorization<T>& run_;
  const std::span<const char> own_;
  const std::vector<char> whole_;
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
                                const distribution::FrontOwners& owners,
                                const numeric::MatrixValues<T>& values,
                                const numeric::FactorizationOptions& options, Observer& observer) {
  return mpi::revoke_on_error(comm, [&]() -> FactoredFronts<T> {
    std::vector<char> own;
    std::optional<numeric::FrontFactorization<T>> run;
    std::optional<RankFactorization<T>> here;
    mpi::agree_on_error(comm, [&] {
      own = distribution::are_of(owners.of_front, comm.rank());
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

#define INSTANTIATE(T)                                                                    \
  template FactoredFronts<T> factor_fronts<T>(                                            \
      const mpi::Communicator&, const numeric::Fronts&, const distribution::FrontOwners&, \
      const numeric::MatrixValues<T>&, const numeric::FactorizationOptions&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
