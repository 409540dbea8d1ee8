#include "trisweep/engine/panel_exchange.hpp"

#include <algorithm>
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

// Supernodes [begin, end).
struct Round {
  Index begin, end;
};

// With about as many entries each. The same on all ranks.
std::vector<Round> rounds_of(const Structure& s, Index ranks) {
  double all = 0, taken = 0;
  const auto entries = [&](Index k) { return double(s.width(k)) * (s.width(k) + double(s.height(k))); };
  for (Index k = 0; k < s.supernodes(); ++k) all += entries(k);
  const double count = std::clamp(all / ranks / entries_of_round, 1.0, most_rounds);
  std::vector<Round> rounds{{0, s.supernodes()}};
  for (Index k = 0; k < s.supernodes(); ++k) {
    if (taken * count >= all * double(rounds.size())) {
      rounds.back().end = k;
      rounds.push_back({k, s.supernodes()});
    }
    taken += entries(k);
  }
  return rounds;
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
        if (from == local_blocks_.rank) {
          copy_piece(panel_of(s_, side, k, factors_), part.blocks(p), piece(side, p));
          continue;
        }
        auto& question = of_rank[from];
        const auto blocks = part.blocks(p);
        question.insert(question.end(),
                        {static_cast<Index>(side), k, static_cast<Index>(std::ssize(blocks))});
        for (const PieceBlock& block : blocks) question.insert(question.end(), {block.begin, block.end});
        asked_[from].push_back({side, p});
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
        const std::size_t begin = answer.size();
        answer.resize(begin + usize(height) * usize(s_.width(k)));
        copy_piece<S>(panel_of(s_, side, k, factors_), blocks, {answer.data() + begin, height, s_.width(k)});
      }
    }
    return as_lists(std::move(of_rank));
  }

  void take(const std::vector<mpi::ListOfRank<S>>& answers) {
    for (const auto& [rank, answer] : answers) {
      auto from = answer.begin();
      for (const auto& [side, p] : asked_.at(rank)) {
        const auto& value_ptr = local_blocks_.side(side).value_ptr;
        const Offset begin = value_ptr[usize(p)], size = value_ptr[usize(p) + 1] - begin;
        std::copy_n(from, size, values_[at(side)].data() + begin);
        from += size;
      }
    }
  }

  PieceValues<S> finish() && {
    return PieceValues<S>(std::make_shared<const SideValues<S>>(std::move(values_)));
  }

 private:
  struct PieceOfSide {
    Side side;
    Index piece;
  };

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
  std::map<Index, std::vector<PieceOfSide>> asked_;  // by maker, in this round
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
