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
  std::vector<std::pair<Index, WorkRow>> own;  // the caller's rows whose home the rank is, too, in any order
  std::map<RankId, std::vector<Index>> at_caller;  // by home: the caller's rows that this rank has
  std::map<RankId, std::vector<Index>> at_home;    // by the rank that has them: the work rows of this rank
};

std::vector<VectorMessage> messages(std::map<RankId, std::vector<Index>> rows) {
  std::vector<VectorMessage> list;
  for (auto& [rank, of_rank] : rows) list.push_back({rank, std::move(of_rank)});
  return list;
}

// Sorts rows by their number of `callers`: by placing them if they are many.
void sort_by_caller(std::vector<std::pair<Index, WorkRow>>& rows, Index callers) {
  constexpr Index few = 16;
  if (std::ssize(rows) * few < callers) {
    std::ranges::sort(rows);
    return;
  }
  std::vector<WorkRow> work(usize(callers), no_row);
  for (const auto& [caller, row] : rows) work[usize(caller)] = row;
  rows.clear();
  for (Index caller = 0; caller < callers; ++caller)
    if (work[usize(caller)] != no_row) rows.emplace_back(caller, work[usize(caller)]);
}

// Rows that stay on the rank are in the caller's order: the caller's rows are strided, work rows are
// contiguous.
VectorPhase phase_of(RankRows rows, Index callers, VectorWay way) {
  VectorPhase phase{.way = way, .caller = {}, .work = {}, .sent = {}, .received = {}};
  sort_by_caller(rows.own, callers);
  phase.caller.reserve(rows.own.size());
  phase.work.reserve(rows.own.size());
  for (const auto& [caller, row] : rows.own) {
    phase.caller.push_back(caller);
    phase.work.push_back(row);
  }
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
      rows.own.emplace_back(old[usize(j)], WorkRow(j));
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
      at_home->own.emplace_back(local, WorkRow(first_work + j));
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
  if (mapping.ranks() == 1) {
    place_all(structure, spec, rows.front());
  } else {
    place_by_home(structure, mapping, blocks_by_rank, spec, rows);
  }
  std::vector<VectorPhase> phases;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index callers = spec.places->partition.count(blocks_by_rank[i].rank);
    phases.push_back(phase_of(std::move(rows[i]), callers, spec.way));
  }
  return phases;
}

}  // namespace trisweep::plan
