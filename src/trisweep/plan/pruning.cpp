#include "trisweep/plan/pruning.hpp"

#include <algorithm>
#include <functional>

namespace trisweep::plan {
namespace {

std::vector<char> combined(const std::vector<char>& a, const std::vector<char>& b, const auto& operation) {
  std::vector<char> result(a.size());
  std::ranges::transform(a, b, result.begin(), [&](char i, char j) { return char(operation(i, j)); });
  return result;
}

Offset entries(const std::vector<RowBlock>& row_blocks) {
  Offset sum = 0;
  for (const RowBlock& r : row_blocks) sum += Offset{r.row_end - r.row_begin} * r.width;
  return sum;
}

}  // namespace

SupernodeSet intersection(const SupernodeSet& a, const SupernodeSet& b) {
  if (!a.members_ || !b.members_) return a.members_ ? a : b;
  return SupernodeSet(combined(*a.members_, *b.members_, std::bit_and<>{}));
}

SupernodeSet union_of(const SupernodeSet& a, const SupernodeSet& b) {
  if (!a.members_ || !b.members_) return {};
  return SupernodeSet(combined(*a.members_, *b.members_, std::bit_or<>{}));
}

// Tiles of a group have the same rows, so that those before k in its group add nothing.
SupernodeSet reach(const symbolic::Structure& structure, std::vector<char> members) {
  for (Index k = 0; k < structure.supernodes(); ++k) {
    if (members[usize(k)] == 0) continue;
    const auto [first, last] = structure.group_of(k);
    std::fill(members.begin() + first, members.begin() + last, char{1});
    for (const symbolic::Block& block : structure.blocks(k)) members[usize(block.row_supernode)] = 1;
  }
  return SupernodeSet(std::move(members));
}

Offset panel_entries(const Plan& plan) {
  Offset sum = 0;
  for (const Phase& phase : plan.phase) {
    if (const auto* sweep = std::get_if<SweepPhase>(&phase)) sum += entries(sweep->row_block);
    if (const auto* diagonal = std::get_if<DiagonalPhase>(&phase)) sum += entries(diagonal->row_block);
  }
  return sum;
}

}  // namespace trisweep::plan
