#include "trisweep/engine/panel_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "trisweep/engine/panel_columns.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::engine {
namespace {

using distribution::LocalBlocks;
using distribution::PieceBlock;
using distribution::Side;
using symbolic::Structure;

constexpr double entries_of_round = 1 << 18;  // of a rank
constexpr double most_rounds = 16;
constexpr double most_of_one_rank = 4;  // times that, where a supernode has that many

// Supernodes [begin, end); of one with many entries some rows of each piece: one of `parts`.
struct Round {
  Index begin, end;
  Index part = 0, parts = 1;

  // Whole slabs: in the piece these follow each other.
  Index first_row(Index height) const { return row_of(part, height); }
  Index end_row(Index height) const { return row_of(part + 1, height); }

 private:
  Index row_of(Index p, Index height) const {
    const Offset slabs = (height + slab_rows - 1) / slab_rows;
    return std::min(static_cast<Index>(slabs * p / parts) * slab_rows, height);
  }
};

// With about as many entries of a rank each. The same on all ranks.
std::vector<Round> rounds_of(const Structure& s, Index ranks) {
  const auto entries = [&](Index k) { return double(s.width(k)) * (s.width(k) + double(s.height(k))); };
  double all = 0, taken = 0;
  for (Index k = 0; k < s.supernodes(); ++k) all += entries(k);
  const double of_rank = std::max(entries_of_round, all / ranks / most_rounds);
  std::vector<Round> rounds;
  Index begin = 0;
  const auto end_round = [&](Index end) {
    if (begin < end) rounds.push_back({begin, end});
    begin = end;
    taken = 0;
  };
  for (Index k = 0; k < s.supernodes(); ++k) {
    const auto parts = static_cast<Index>(std::ceil(entries(k) / (most_of_one_rank * of_rank)));
    if (parts > 1 || taken + entries(k) > of_rank * ranks) end_round(k);
    taken += entries(k);
    if (parts <= 1) continue;
    for (Index p = 0; p < parts; ++p) rounds.push_back({k, k + 1, p, parts});
    begin = k + 1;
    taken = 0;
  }
  end_round(s.supernodes());
  return rounds;
}

// A panel's rows [begin, end) of those that `blocks` have.
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

// One for each rank that is asked, or answered.
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
             const numeric::Factors<S>& factors, std::span<const Index> maker)
      : s_(*distribution.structure), local_blocks_(local_blocks), factors_(factors), maker_(maker) {
    for (const Side side : distribution::sides) {
      if (is_stored(side))
        values_[at(side)] =
            Buffer<S>(usize(local_blocks.side(side).value_ptr.back()), "this rank's part of the factors");
    }
  }

  // What this rank needs of supernodes `round`: of others' panels a question for each maker, of its own what
  // it has.
  std::vector<mpi::ListOfRank<Index>> questions(const Round& round) {
    asked_.clear();
    std::map<Index, std::vector<Index>> of_rank;
    for (const Side side : distribution::sides) {
      if (!is_stored(side)) continue;
      const auto& part = local_blocks_.side(side);
      const auto first = std::ranges::lower_bound(part.supernode, round.begin) - part.supernode.begin();
      for (auto p = static_cast<Index>(first); p < part.pieces() && part.supernode[usize(p)] < round.end;
           ++p) {
        const Index k = part.supernode[usize(p)], from = maker_[usize(wide(k))];
        const Index begin = round.first_row(part.height(p)), end = round.end_row(part.height(p));
        if (from == local_blocks_.rank) {
          if (round.part == 0) copy_piece(panel_of(s_, side, k, factors_), part.blocks(p), piece(side, p));
          continue;
        }
        if (begin == end) continue;
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

  // To what others ask.
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

  PieceValues<S> finish() && {
    return PieceValues<S>(std::make_shared<const SideValues<S>>(std::move(values_)));
  }

 private:
  struct PieceRows {
    Side side;
    Index piece;
    Index begin, end;  // rows
  };

  // Calls visit(side, supernode, rows) with what a question has asked of it in `blocks`.
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
  // The supernode of the factors that one of the distribution, which may be a tile, is of.
  Index wide(Index k) const { return factors_.structure->supernode_of[usize(s_.first[usize(k)])]; }
  PanelColumns<S*> piece(Side side, Index p) {
    const auto& part = local_blocks_.side(side);
    return {values_[at(side)].data() + part.value_ptr[usize(p)], part.height(p),
            s_.width(part.supernode[usize(p)])};
  }

  const Structure& s_;
  const LocalBlocks& local_blocks_;
  const numeric::Factors<S>& factors_;
  const std::span<const Index> maker_;
  SideValues<S> values_;
  std::map<Index, std::vector<PieceRows>> asked_;  // by maker, in this round
};

}  // namespace

template <class S>
PieceValues<S> collected(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                         const LocalBlocks& local_blocks,
                         const std::shared_ptr<const numeric::Factors<S>>& factors,
                         std::span<const Index> maker) {
  if (comm.size() == 1)
    return {factors, {factors->lower.span(), factors->upper.span(), factors->diagonal.span()}};
  std::vector<Round> rounds;
  auto collection = mpi::agree_on_error(comm, [&] {
    rounds = rounds_of(*distribution.structure, comm.size());
    return std::make_unique<Collection<S>>(distribution, local_blocks, *factors, maker);
  });
  for (const Round& round : rounds) {
    const auto questions =
        mpi::exchange_lists(comm, mpi::agree_on_error(comm, [&] { return collection->questions(round); }));
    const auto answers =
        mpi::exchange_lists(comm, mpi::agree_on_error(comm, [&] { return collection->answers(questions); }));
    collection->take(answers);
  }
  return mpi::agree_on_error(comm, [&] { return std::move(*collection).finish(); });
}

#define INSTANTIATE(S)                                                                                     \
  template PieceValues<S> collected(const mpi::Communicator&, const distribution::Distribution&,           \
                                    const LocalBlocks&, const std::shared_ptr<const numeric::Factors<S>>&, \
                                    std::span<const Index>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
