#include "trisweep/plan/make_plan.hpp"

#include <optional>

#include "trisweep/plan/applied_panels.hpp"

namespace trisweep::plan {
namespace {

using distribution::LocalBlocks;

// By piece of the diagonal side: whether a sweep of the plan has applied it already.
std::vector<char> applied_diagonals(const Plan& plan, const LocalBlocks& local_blocks) {
  std::vector<char> applied(usize(local_blocks.diagonal.pieces()), 0);
  for (const Phase& phase : plan.phase) {
    const auto* sweep = std::get_if<SweepPhase>(&phase);
    if (sweep == nullptr) continue;
    for (const Task& task : sweep->task) {
      for (Index i = task.row_block_begin; task.diagonal && i < task.row_block_end; ++i)
        applied[usize(sweep->row_block[usize(i)].piece)] = 1;
    }
  }
  return applied;
}

// Appends the phase that a description asks for to the plans of ranks of one layer.
struct Instantiate {
  const symbolic::Structure& structure;
  const distribution::Mapping& mapping;
  std::span<const LocalBlocks> blocks_by_rank;
  const Accumulation& accumulation;
  std::vector<Plan>& plans;

  void operator()(const SweepSpec& spec) const {
    const SweepTrees trees = sweep_trees(structure, mapping, blocks_by_rank.front().layer, spec);
    append([&](const LocalBlocks& local_blocks) {
      return make_sweep(structure, local_blocks, trees, spec, accumulation);
    });
  }
  void operator()(const ExchangeSpec& spec) const {
    append([&](const LocalBlocks& local_blocks) { return make_exchange(mapping, local_blocks, spec); });
  }
  void operator()(const VectorSpec& spec) const {
    auto phases = make_vectors(structure, mapping, blocks_by_rank, spec);
    for (std::size_t i = 0; i < blocks_by_rank.size(); ++i) plans[i].phase.emplace_back(std::move(phases[i]));
  }
  void operator()(const DiagonalSpec& spec) const {
    const AppliedPanels applied(structure, mapping, blocks_by_rank.front().layer, spec);
    for (std::size_t i = 0; i < blocks_by_rank.size(); ++i) {
      const LocalBlocks& local_blocks = blocks_by_rank[i];
      const std::vector<char> applied_before = applied_diagonals(plans[i], local_blocks);
      DiagonalPhase phase{.op = spec.op, .row_block = {}};
      for (Index p = 0; p < local_blocks.diagonal.pieces(); ++p) {
        if (applied.contains(local_blocks.diagonal.supernode[usize(p)]) && !applied_before[usize(p)])
          phase.row_block.push_back(
              row_block_of(local_blocks, local_blocks.diagonal, p, {0, local_blocks.diagonal.height(p)}));
      }
      plans[i].phase.emplace_back(std::move(phase));
    }
  }

 private:
  template <class MakePhase>
  void append(MakePhase&& make_phase) const {
    for (std::size_t i = 0; i < blocks_by_rank.size(); ++i)
      plans[i].phase.emplace_back(make_phase(blocks_by_rank[i]));
  }
};

// The phase for `spec` on a single rank, from `other`, the phase for another op; nullopt if the two differ in
// more than the side of the panels.
std::optional<Phase> phase_like(const Phase& other, const PhaseSpec& spec) {
  if (const auto* diagonal = std::get_if<DiagonalSpec>(&spec)) {
    DiagonalPhase phase = std::get<DiagonalPhase>(other);
    phase.op = diagonal->op;
    return phase;
  }
  const auto* sweep = std::get_if<SweepSpec>(&spec);
  if (sweep == nullptr || sweep->idle()) return std::nullopt;
  if (std::get<SweepPhase>(other).direction != sweep->direction) return std::nullopt;
  SweepPhase phase = std::get<SweepPhase>(other);
  phase.side = sweep->side;
  phase.conjugate = sweep->conjugate;
  phase.diagonal_op = sweep->diagonal_op;
  return phase;
}

}  // namespace

std::vector<Plan> make_plans(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                             std::span<const LocalBlocks> blocks_by_rank, std::span<const PhaseSpec> specs,
                             const Accumulation& accumulation) {
  std::vector<Plan> plans(blocks_by_rank.size());
  if (blocks_by_rank.empty()) return plans;
  const Instantiate instantiate{structure, mapping, blocks_by_rank, accumulation, plans};
  for (const PhaseSpec& spec : specs) std::visit(instantiate, spec);
  return plans;
}

Plan make_plan(const symbolic::Structure& structure, const distribution::Mapping& mapping,
               const LocalBlocks& local_blocks, std::span<const PhaseSpec> specs,
               const Accumulation& accumulation) {
  return std::move(make_plans(structure, mapping, {&local_blocks, 1}, specs, accumulation).front());
}

Plan make_plan_like(const Plan& other, const symbolic::Structure& structure,
                    const distribution::Mapping& mapping, const LocalBlocks& local_blocks,
                    std::span<const PhaseSpec> specs, const Accumulation& accumulation) {
  std::vector<Plan> plans(1);
  const Instantiate instantiate{structure, mapping, {&local_blocks, 1}, accumulation, plans};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (auto copy = phase_like(other.phase[i], specs[i])) {
      plans.front().phase.push_back(*std::move(copy));
    } else {
      std::visit(instantiate, specs[i]);
    }
  }
  return std::move(plans.front());
}

std::vector<RankPlan> make_all_plans(const symbolic::Structure& structure,
                                     const distribution::Mapping& mapping, Schedule schedule,
                                     const PlanSpec& spec, const Accumulation& accumulation) {
  std::vector<RankPlan> all(usize(mapping.ranks()));
  for (Index layer = 0; layer < mapping.layers(); ++layer) {
    auto blocks_by_rank = distribution::make_all_local_blocks(structure, mapping, layer);
    auto plans = make_plans(structure, mapping, blocks_by_rank,
                            describe(schedule, structure, mapping, layer, spec), accumulation);
    for (std::size_t i = 0; i < blocks_by_rank.size(); ++i) {
      const Index rank = blocks_by_rank[i].rank;
      all[usize(rank)] = {std::move(blocks_by_rank[i]), std::move(plans[i])};
    }
  }
  return all;
}

}  // namespace trisweep::plan
