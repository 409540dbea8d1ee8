#include "trisweep/engine/panel_exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trisweep/engine/panel_columns.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::engine {
namespace {

using distribution::LocalBlocks;
using distribution::PieceBlock;
using distribution::Side;
using symbolic::Structure;

constexpr double entries_of_round = 1 << 17;  // sent by a maker
constexpr double most_rounds = 32;            // of a maker with an average share

// Assigns panels to rounds. In each round a maker sends about the same number of entries, in the order of its
// supernodes; of a large supernode, some rows of each piece.
struct Rounds {
  std::vector<Index> first;  // by supernode: its first round
  std::vector<Index> parts;  // by supernode: its number of rounds
  Index count = 0;

  // The same on all ranks. `maker`: by supernode.
  Rounds(const Structure& s, Index ranks, std::span<const Index> maker)
      : first(usize(s.supernodes())), parts(usize(s.supernodes()), 1) {
    const auto entries = [&](Index k) { return double(s.entries(k)); };
    double all = 0;
    for (Index k = 0; k < s.supernodes(); ++k) all += entries(k);
    const double of_round = std::max(entries_of_round, all / ranks / most_rounds);
    std::vector<double> sent(usize(ranks), 0);  // by maker
    for (Index k = 0; k < s.supernodes(); ++k) {
      double& before = sent[usize(maker[usize(k)])];
      first[usize(k)] = static_cast<Index>(before / of_round);
      before += entries(k);
      if (entries(k) > 2 * of_round)
        parts[usize(k)] = static_cast<Index>(before / of_round) - first[usize(k)] + 1;
      count = std::max(count, end(k));
    }
  }

  Index end(Index k) const { return first[usize(k)] + parts[usize(k)]; }
  // Rows [begin, end) of a piece of supernode k that are sent in a round: whole slabs, which are contiguous
  // in the piece.
  std::pair<Index, Index> rows(Index k, Index round, Index height) const {
    const Offset slabs = (height + slab_rows - 1) / slab_rows, all = parts[usize(k)];
    const Offset part = round - first[usize(k)];
    if (part < 0 || part >= all) return {0, 0};
    const auto row = [&](Offset p) {
      return std::min(static_cast<Index>(slabs * p / all) * slab_rows, height);
    };
    return {row(part), row(part + 1)};
  }
};

// The panel's rows that are rows [begin, end) of the piece consisting of `blocks`.
std::vector<PieceBlock> rows_of(std::span<const PieceBlock> blocks, Index begin, Index end) {
  std::vector<PieceBlock> some;
  Index row = 0;
  for (PieceBlock block : blocks) {
    const Index next = row + block.end - block.begin;
    block.end -= std::max(0, next - std::max(end, row));
    block.begin += std::max(0, begin - row);
    if (block.begin < block.end) some.push_back(block);
    row = next;
  }
  return some;
}

// One list for each rank that gets a request, or a reply.
template <class V>
std::vector<mpi::ListOfRank<V>> as_lists(std::map<Index, std::vector<V>> of_rank) {
  std::vector<mpi::ListOfRank<V>> lists;
  for (auto& [rank, list] : of_rank) lists.push_back({rank, std::move(list)});
  return lists;
}

template <class S>
class Collection {
 public:
  Collection(const distribution::Distribution& distribution, const LocalBlocks& local_blocks,
             const numeric::Factors<S>& factors, std::span<const Index> maker, Index ranks)
      : s_(*distribution.structure),
        local_blocks_(local_blocks),
        factors_(factors),
        maker_(makers_of_tiles(maker)),
        rounds_(s_, ranks, maker_) {
    for (const Side side : distribution::sides) {
      if (is_stored(side))
        values_[at(side)] =
            Buffer<S>(usize(local_blocks.side(side).value_ptr.back()), "this rank's part of the factors");
    }
  }

  Index rounds() const { return rounds_.count; }

  // Requests of this rank in a round, one list for each other maker. Pieces of its own panels are copied.
  std::vector<mpi::ListOfRank<Index>> questions(Index round) {
    asked_.clear();
    std::map<Index, std::vector<Index>> of_rank;
    for (const Side side : distribution::sides) {
      if (!is_stored(side)) continue;
      const auto& part = local_blocks_.side(side);
      for (Index p = 0; p < part.pieces(); ++p) {
        const Index k = part.supernode[usize(p)], from = maker_[usize(k)];
        const auto [begin, end] = rounds_.rows(k, round, part.height(p));
        if (begin == end) continue;
        if (from == local_blocks_.rank) {
          if (begin == 0) copy_piece(panel_of(s_, side, k, factors_), part.blocks(p), piece(side, p));
          continue;
        }
        auto& question = of_rank[from];
        const auto blocks = rows_of(part.blocks(p), begin, end);
        question.insert(question.end(),
                        {static_cast<Index>(side), k, static_cast<Index>(std::ssize(blocks))});
        for (const PieceBlock& block : blocks) question.insert(question.end(), {block.begin, block.end});
        asked_[from].push_back({side, p, begin, end});
      }
    }
    return as_lists(std::move(of_rank));
  }

  // Replies to the requests of other ranks.
  std::vector<mpi::ListOfRank<S>> answers(const std::vector<mpi::ListOfRank<Index>>& questions) const {
    std::map<Index, std::vector<S>> of_rank;
    std::vector<PieceBlock> blocks;
    for (const auto& [rank, question] : questions) {
      auto& answer = of_rank[rank];
      std::size_t entries = 0;
      for_each_piece(question, blocks,
                     [&](Side, Index k, Index height) { entries += usize(height) * usize(s_.width(k)); });
      answer.resize(entries);
      S* next = answer.data();
      for_each_piece(question, blocks, [&](Side side, Index k, Index height) {
        copy_piece<S>(panel_of(s_, side, k, factors_), blocks, {next, height, s_.width(k)});
        next += usize(height) * usize(s_.width(k));
      });
    }
    return as_lists(std::move(of_rank));
  }

  void take(const std::vector<mpi::ListOfRank<S>>& answers) {
    for (const auto& [rank, answer] : answers) {
      auto from = answer.begin();
      for (const PieceRows& rows : asked_.at(rank)) {
        const PanelColumns<S*> to = piece(rows.side, rows.piece);
        const std::size_t size = usize(rows.end - rows.begin) * usize(to.width);
        std::copy_n(from, size, to.value + usize(rows.begin) * usize(to.width));
        from += static_cast<std::ptrdiff_t>(size);
      }
    }
  }

  // Frees this rank's panels that have been sent in this round or before.
  void discard_sent(Index round, numeric::Factors<S>& factors) {
    const Index end = factors.structure->supernodes();
    const auto is_sent = [&](Index k) {
      return maker_[usize(k)] != local_blocks_.rank || rounds_.end(k) <= round + 1;
    };
    Index unsent = unsent_;  // tile
    while (unsent < s_.supernodes() && is_sent(unsent)) ++unsent;
    const auto wide_at = [&](Index tile) { return tile < s_.supernodes() ? wide(tile) : end; };
    const Index first = wide_at(unsent_), last = wide_at(unsent);
    unsent_ = unsent;
    const auto discard = [&](Buffer<S>& side, const std::vector<Offset>& begin) {
      if (side.size() == 0) return;
      const auto from = usize(begin[usize(first)]), to = usize(begin[usize(last)]);
      discard_pages(side.data() + from, (to - from) * sizeof(S));
    };
    discard(factors.lower, factors.panel_ptr);
    discard(factors.upper, factors.panel_ptr);
    discard(factors.diagonal, factors.diagonal_ptr);
  }

  PieceValues<S> finish() && {
    return PieceValues<S>(std::make_shared<const SideValues<S>>(std::move(values_)));
  }

 private:
  struct PieceRows {
    Side side;
    Index piece;
    Index begin, end;  // rows
  };

  // Calls visit(side, supernode, rows) for each piece in a request, whose rows are in `blocks`.
  template <class Visit>
  static void for_each_piece(const std::vector<Index>& question, std::vector<PieceBlock>& blocks,
                             const Visit& visit) {
    for (auto at = question.begin(); at != question.end();) {
      const auto side = static_cast<Side>(*at++);
      const Index k = *at++;
      blocks.resize(usize(*at++));
      Index height = 0;
      for (PieceBlock& block : blocks) {
        block = {.segment = 0, .begin = at[0], .end = at[1]};
        height += block.end - block.begin;
        at += 2;
      }
      visit(side, k, height);
    }
  }

  static constexpr std::size_t at(Side side) { return static_cast<std::size_t>(side); }
  bool is_stored(Side side) const { return side != Side::upper || numeric::has_upper(factors_.kind); }
  // Supernodes of the distribution may be tiles of those of the factors.
  std::vector<Index> makers_of_tiles(std::span<const Index> maker) const {
    std::vector<Index> of_tile;
    for (Index k = 0; k < s_.supernodes(); ++k) of_tile.push_back(maker[usize(wide(k))]);
    return of_tile;
  }
  Index wide(Index tile) const { return factors_.structure->supernode_of[usize(s_.first[usize(tile)])]; }
  PanelColumns<S*> piece(Side side, Index p) {
    const auto& part = local_blocks_.side(side);
    return {values_[at(side)].data() + part.value_ptr[usize(p)], part.height(p),
            s_.width(part.supernode[usize(p)])};
  }

  const Structure& s_;
  const LocalBlocks& local_blocks_;
  const numeric::Factors<S>& factors_;
  const std::vector<Index> maker_;  // by supernode of the distribution
  const Rounds rounds_;
  SideValues<S> values_;
  Index unsent_ = 0;  // the first supernode of this rank that others will still ask for
  std::map<Index, std::vector<PieceRows>> asked_;  // by maker, in this round
};

}  // namespace

template <class S>
PieceValues<S> collected(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                         const LocalBlocks& local_blocks,
                         const std::shared_ptr<const numeric::Factors<S>>& factors,
                         std::span<const Index> maker, numeric::Factors<S>* spent) {
  if (comm.size() == 1)
    return {factors, {factors->lower.span(), factors->upper.span(), factors->diagonal.span()}};
  auto collection = mpi::agree_on_error(comm, [&] {
    return std::make_unique<Collection<S>>(distribution, local_blocks, *factors, maker, comm.size());
  });
  for (Index round = 0; round < collection->rounds(); ++round) {
    const auto questions =
        mpi::exchange_lists(comm, mpi::agree_on_error(comm, [&] { return collection->questions(round); }));
    const auto answers =
        mpi::exchange_lists(comm, mpi::agree_on_error(comm, [&] { return collection->answers(questions); }));
    collection->take(answers);
    if (spent != nullptr) collection->discard_sent(round, *spent);
  }
  return mpi::agree_on_error(comm, [&] { return std::move(*collection).finish(); });
}

#define INSTANTIATE(S)                                                                                     \
  template PieceValues<S> collected(const mpi::Communicator&, const distribution::Distribution&,           \
                                    const LocalBlocks&, const std::shared_ptr<const numeric::Factors<S>>&, \
                                    std::span<const Index>, numeric::Factors<S>*);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
