#include "trisweep/solve/fronts_of_ranks.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>

#include "trisweep/mpi/some_ranks.hpp"
#include "trisweep/solve/arrowhead_exchange.hpp"

namespace trisweep::solve {
namespace {

// Header of a contribution block in a message between two ranks.
struct ContributionHeader {
  FrontsEnd end = FrontsEnd::done;  // otherwise nothing follows
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

  // All ranks process shared fronts in the same order, so all ranks of the first unfinished one have reached
  // it: there is no deadlock.
  FrontsEnd factor() {
    if (!run_.factor_subtrees()) end_ = FrontsEnd::other_kind;
    for (const Index f : owners_.order) {
      if (owners_.shared.contains(f)) {
        share(f);
        continue;
      }
      for (const std::span<const Index> group : groups_of_children(f)) pass(group, f);
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
  // A contribution being sent or received, with this rank's part of it.
  struct Passed {
    numeric::Arrowheads from, to;
    std::vector<Index> places;  // in `to`
    numeric::FrontContribution<T> contribution{};
    numeric::Panel<T> panel{};  // view of its block
  };

  std::vector<std::span<const Index>> groups_of_children(Index f) const {
    return distribution::groups(tree_.children(f), tree_.height);
  }
  // Arrowheads of a front's contribution block.
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
    if (!agree(std::move(ranks), mine)) return;
    const std::span<const Index> keeper = owners_.of_supernode;
    SharedElimination<T>* part = nullptr;
    if (shares) {
      part = (shared_[f] = std::make_unique<SharedElimination<T>>(comm_, front, f, keeper, run_)).get();
    }
    const numeric::ArrowheadMatrix<T> to =
        part ? part->assembled() : numeric::ArrowheadMatrix<T>{front.arrowheads, {}};
    for (const std::span<const Index> group : groups_of_children(f)) add(group, to);
    if (!part) return;
    end_ = std::max(end_, part->eliminate());
    if (end_ == FrontsEnd::done) part->bring_together();
  }

  // Adds the contributions of children to the front of their parent, and frees them.
  void add(std::span<const Index> children, const numeric::ArrowheadMatrix<T>& to) {
    std::deque<Passed> passed;
    std::vector<ArrowheadAddition<T>> additions;
    for (const Index c : children) {
      Passed& p = passed.emplace_back(Passed{.from = shape_of_contribution(c), .to = {}, .places = {}});
      if (own_[usize(c)]) p.contribution = run_.take(c);
      p.panel = in_one_panel(p.contribution.block.view);
      const bool is_shared = owners_.shared.contains(c);
      additions.push_back(
          {{p.from, is_shared ? shared_panels(c) : std::span<const numeric::Panel<T>>(&p.panel, 1)},
           fronts_.places_in_parent(c),
           to});
    }
    add_arrowheads<T>(comm_, fronts_.kind, additions);
    for (const Index c : children) free_shared(c);
  }
  // This rank's panels of the contribution of a shared front; empty if it has none.
  std::span<const numeric::Panel<T>> shared_panels(Index f) const {
    const auto shared = shared_.find(f);
    return shared != shared_.end() ? shared->second->contribution().panel
                                   : std::span<const numeric::Panel<T>>();
  }
  void free_shared(Index f) {
    if (const auto shared = shared_.find(f); shared != shared_.end()) shared->second->free_contribution();
  }

  // Sends the contributions of children to their parent, a front of a single rank.
  void pass(std::span<const Index> children, Index parent) {
    const Index to = owners_.of_front[usize(parent)];
    std::map<Index, std::vector<Index>> by_rank;
    for (const Index c : children) {
      if (owners_.shared.contains(c)) {
        pass_of_several(c, to);
      } else if (own_[usize(c)] != own_[usize(parent)]) {
        by_rank[owners_.of_front[usize(c)]].push_back(c);
      }
    }
    for (const auto& [from, of_rank] : by_rank) {
      if (from == comm_.rank()) {
        send(of_rank, to);
      } else {
        receive(of_rank, from);
      }
    }
  }

  void pass_of_several(Index child, Index to) {
    const Index m = tree_.height[usize(child)];
    Passed p{.from = shape_of_contribution(child), .to = square(m, to), .places = all_rows(m)};
    std::vector<Index> ranks = p.from.owners();
    ranks.push_back(to);
    if (!agree(std::move(ranks), end_)) return;
    if (to == comm_.rank()) p.panel = make_room(m, p.contribution.block);
    const ArrowheadAddition<T> addition{
        {p.from, shared_panels(child)}, p.places, {p.to, std::span(&p.panel, 1)}};
    add_arrowheads<T>(comm_, fronts_.kind, std::span(&addition, 1));
    free_shared(child);
    if (to == comm_.rank()) run_.put(child, std::move(p.contribution));
  }

  void send(std::span<const Index> children, Index to) {
    std::vector<ContributionHeader> headers(children.size(), {.end = end_});
    std::vector<Index> delayed;
    std::deque<Passed> passed;
    for (std::size_t i = 0; i < children.size() && end_ == FrontsEnd::done; ++i) {
      numeric::FrontContribution<T> contribution = run_.take(children[i]);
      const numeric::Contribution<T>& block = contribution.block;
      headers[i].rows = block.view.rows;
      headers[i].delayed = static_cast<Index>(block.delayed_row.size());
      headers[i].redone_entries = contribution.redone_entries;
      for (const auto* list : {&block.delayed_row, &block.delayed_col})
        delayed.insert(delayed.end(), list->begin(), list->end());
      const numeric::Panel<T> panel = in_one_panel(block.view);
      passed.push_back(between(comm_.rank(), to, std::move(contribution), panel));
    }
    comm_.send_bytes(headers.data(), headers.size() * sizeof(ContributionHeader), to, mpi::Tag::fronts);
    if (end_ != FrontsEnd::done) return;
    comm_.send_bytes(delayed.data(), delayed.size() * sizeof(Index), to, mpi::Tag::fronts);
    move(passed);
  }

  void receive(std::span<const Index> children, Index from) {
    std::vector<ContributionHeader> headers(children.size());
    comm_.receive_bytes(headers.data(), headers.size() * sizeof(ContributionHeader), from, mpi::Tag::fronts);
    end_ = std::max(end_, headers.front().end);
    if (headers.front().end != FrontsEnd::done) return;
    std::size_t all = 0;
    for (const ContributionHeader& header : headers) all += 2 * usize(header.delayed);
    std::vector<Index> delayed(all);
    comm_.receive_bytes(delayed.data(), delayed.size() * sizeof(Index), from, mpi::Tag::fronts);
    std::deque<Passed> passed;
    for (auto next = delayed.begin(); const ContributionHeader& header : headers) {
      numeric::FrontContribution<T> contribution{.redone_entries = header.redone_entries};
      numeric::Contribution<T>& block = contribution.block;
      for (auto* list : {&block.delayed_row, &block.delayed_col}) {
        list->assign(next, next + header.delayed);
        next += header.delayed;
      }
      const numeric::Panel<T> panel = make_room(header.rows, block);
      passed.push_back(between(from, comm_.rank(), std::move(contribution), panel));
    }
    move(passed);
    for (std::size_t i = 0; i < children.size() && end_ == FrontsEnd::done; ++i)
      run_.put(children[i], std::move(passed[i].contribution));
  }

  static Passed between(Index from, Index to, numeric::FrontContribution<T> contribution,
                        const numeric::Panel<T>& panel) {
    const Index rows = contribution.block.view.rows;
    return {square(rows, from), square(rows, to), all_rows(rows), std::move(contribution), panel};
  }
  void move(const std::deque<Passed>& passed) {
    std::vector<ArrowheadAddition<T>> additions;
    for (const Passed& p : passed) {
      const std::span<const numeric::Panel<T>> panel(&p.panel, 1);
      additions.push_back({{p.from, panel}, p.places, {p.to, panel}});
    }
    add_arrowheads<T>(comm_, fronts_.kind, additions);
  }

  // Allocates a zero block to add to.
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
  static numeric::Arrowheads square(Index rows, Index owner) {
    return {.begin = {0, rows}, .owner = {owner}};
  }
  static std::vector<Index> all_rows(Index rows) {
    std::vector<Index> places(usize(rows));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }

  // Agreement of `ranks`, in any order: returns true if this rank is one of them and all go on.
  bool agree(std::vector<Index> ranks, FrontsEnd mine) {
    ranks = numeric::distinct(std::move(ranks));
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
  std::map<Index, std::unique_ptr<SharedElimination<T>>> shared_;  // by front, those of this rank
  FrontsEnd end_ = FrontsEnd::done;
};

// Returns the fronts of all ranks whose pivot order changed, those of other ranks without values.
template <Scalar T>
numeric::RedoneFronts<T> redone_anywhere(const mpi::Communicator& comm, numeric::RedoneFronts<T> here) {
  if (comm.max(double(here.front.size())) == 0) return here;
  const auto shapes = mpi::agree_on_error(comm, [&] { return numeric::shapes_of(here); });
  std::vector<Index> all;  // of all ranks, concatenated
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
