#include "trisweep/plan/vectors.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trisweep/core/permutation.hpp"

namespace trisweep::plan {
namespace {

using distribution::LocalBlocks;

// One rank's rows, in the order of the pass that finds them.
struct RankRows {
  std::vector<WorkRow> own;  // by the caller's row: its work row, if the rank is its home, too
  std::map<RankId, std::vector<Index>> at_caller;  // by home: the caller's rows that this rank has
  std::map<RankId, std::vector<Index>> at_home;    // by the rank that has them: the work rows of this rank
};

std::vector<VectorMessage> messages(std::map<RankId, std::vector<Index>> rows) {
  std::vector<VectorMessage> list;
  for (auto& [rank, of_rank] : rows) list.push_back({rank, std::move(of_rank)});
  return list;
}

// Rows that stay on the rank are in the caller's order: the caller's rows are strided, work rows are
// contiguous.
VectorPhase phase_of(RankRows rows, VectorWay way) {
  VectorPhase phase{.way = way, .caller = {}, .work = {}, .sent = {}, .received = {}};
  phase.caller.resize(rows.own.size());
  std::size_t own = 0;
  for (std::size_t caller = 0; caller < rows.own.size(); ++caller) {
    if (rows.own[caller] == no_row) continue;
    phase.caller[own] = static_cast<Index>(caller);
    rows.own[own++] = rows.own[caller];
  }
  phase.caller.resize(own);
  rows.own.resize(own);
  phase.work = std::move(rows.own);
  phase.sent = messages(std::move(rows.at_caller));
  phase.received = messages(std::move(rows.at_home));
  if (way == VectorWay::out) std::swap(phase.sent, phase.received);
  return phase;
}

// For a single rank, whose work rows are the rows of the structure.
void place_all(const symbolic::Structure& structure, const VectorSpec& spec, RankRows& rows) {
  const std::vector<Index>& old = spec.old();
  for (Index k = 0; k < structure.supernodes(); ++k) {
    if (!spec.within.contains(k)) continue;
    for (Index j = structure.first[usize(k)]; j < structure.first[usize(k) + 1]; ++j)
      rows.own[usize(old[usize(j)])] = WorkRow(j);
  }
}

// For several ranks.
void place_by_home(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                   std::span<const LocalBlocks> blocks_by_rank, const VectorSpec& spec,
                   std::vector<RankRows>& rows) {
  IndexedVector<RankId, RankRows*> of(usize(mapping.ranks()), nullptr);
  IndexedVector<RankId, const LocalBlocks*> share_of(usize(mapping.ranks()), nullptr);
  for (std::size_t i = 0; i < blocks_by_rank.size(); ++i) {
    of[RankId(blocks_by_rank[i].rank)] = &rows[i];
    share_of[RankId(blocks_by_rank[i].rank)] = &blocks_by_rank[i];
  }
  Index supernode = -1, first_work = 0;  // offset of its work rows at home
  RankRows* at_home = nullptr;
  for_each_vector_row(structure, mapping, spec, [&](Index k, Index j, Index old, RankId caller, RankId home) {
    const Index local = old - spec.places->partition.first(caller.value());
    if (std::exchange(supernode, k) != k && (at_home = of[home]))
      first_work = share_of[home]->slot[usize(share_of[home]->local(k))] - structure.first[usize(k)];
    if (caller == home && at_home) {
      at_home->own[usize(local)] = WorkRow(first_work + j);
      return;
    }
    if (caller != home && of[caller]) of[caller]->at_caller[home].push_back(local);
    if (at_home) at_home->at_home[caller].push_back(first_work + j);
  });
}

}  // namespace

VectorPlaces vector_places(const ordering::Ordering& ordering, distribution::RowPartition partition) {
  return {std::move(partition), inverse_permutation(ordering.row_new), inverse_permutation(ordering.col_new)};
}

std::vector<VectorPhase> make_vectors(const symbolic::Structure& structure,
                                      const distribution::Mapping& mapping,
                                      std::span<const LocalBlocks> blocks_by_rank, const VectorSpec& spec) {
  std::vector<RankRows> rows(blocks_by_rank.size());
  for (std::size_t i = 0; i < blocks_by_rank.size(); ++i)
    rows[i].own.assign(usize(spec.places->partition.count(blocks_by_rank[i].rank)), no_row);
  if (mapping.ranks() == 1) {
    place_all(structure, spec, rows.front());
  } else {
    place_by_home(structure, mapping, blocks_by_rank, spec, rows);
  }
  std::vector<VectorPhase> phases;
  for (RankRows& of_rank : rows) phases.push_back(phase_of(std::move(of_rank), spec.way));
  return phases;
}

}  // namespace trisweep::plan
