#include "trisweep/plan/make_plan.hpp"

#include "trisweep/plan/applied_panels.hpp"

namespace trisweep::plan {
namespace {

using distribution::Share;

// The pieces of the diagonal side that the sweeps of a plan have applied already.
std::vector<char> applied_diagonals(const Plan& plan, const Share& share) {
  std::vector<char> applied(usize(share.diagonal.pieces()), 0);
  for (const Phase& phase : plan.phase) {
    const auto* sweep = std::get_if<SweepPhase>(&phase);
    if (sweep == nullptr) continue;
    for (const Task& task : sweep->task) {
      for (Index i = task.strip_begin; task.diagonal && i < task.strip_end; ++i)
        applied[usize(sweep->strip[usize(i)].piece)] = 1;
    }
  }
  return applied;
}

// Appends the phase that a description asks for to the plans of ranks of one layer.
struct Instantiate {
  const symbolic::Structure& structure;
  const distribution::Mapping& mapping;
  std::span<const Share> shares;
  const Accumulation& accumulation;
  std::vector<Plan>& plans;

  void operator()(const SweepSpec& spec) const {
    const SweepTrees trees = sweep_trees(structure, mapping, shares.front().layer, spec);
    append([&](const Share& share) { return make_sweep(structure, share, trees, spec, accumulation); });
  }
  void operator()(const ExchangeSpec& spec) const {
    append([&](const Share& share) { return make_exchange(mapping, share, spec); });
  }
  void operator()(const VectorSpec& spec) const {
    auto phases = make_vectors(structure, mapping, shares, spec);
    for (std::size_t i = 0; i < shares.size(); ++i) plans[i].phase.emplace_back(std::move(phases[i]));
  }
  void operator()(const DiagonalSpec& spec) const {
    const AppliedPanels applied(structure, mapping, shares.front().layer, spec);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Share& share = shares[i];
      const std::vector<char> applied_before = applied_diagonals(plans[i], share);
      DiagonalPhase phase{.op = spec.op, .strip = {}};
      for (Index p = 0; p < share.diagonal.pieces(); ++p) {
        if (applied.contains(share.diagonal.supernode[usize(p)]) && !applied_before[usize(p)])
          phase.strip.push_back(strip_of(share, share.diagonal, p, {0, share.diagonal.height(p)}));
      }
      plans[i].phase.emplace_back(std::move(phase));
    }
  }

 private:
  template <class MakePhase>
  void append(MakePhase&& make_phase) const {
    for (std::size_t i = 0; i < shares.size(); ++i) plans[i].phase.emplace_back(make_phase(shares[i]));
  }
};

}  // namespace

std::vector<Plan> make_plans(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                             std::span<const Share> shares, std::span<const PhaseSpec> specs,
                             const Accumulation& accumulation) {
  std::vector<Plan> plans(shares.size());
  if (shares.empty()) return plans;
  const Instantiate instantiate{structure, mapping, shares, accumulation, plans};
  for (const PhaseSpec& spec : specs) std::visit(instantiate, spec);
  return plans;
}

Plan make_plan(const symbolic::Structure& structure, const distribution::Mapping& mapping, const Share& share,
               std::span<const PhaseSpec> specs, const Accumulation& accumulation) {
  return std::move(make_plans(structure, mapping, {&share, 1}, specs, accumulation).front());
}

std::vector<RankPlan> make_all_plans(const symbolic::Structure& structure,
                                     const distribution::Mapping& mapping, Schedule schedule,
                                     const PlanSpec& spec, const Accumulation& accumulation) {
  std::vector<RankPlan> all(usize(mapping.ranks()));
  for (Index layer = 0; layer < mapping.layers(); ++layer) {
    auto shares = distribution::make_shares(structure, mapping, layer);
    auto plans = make_plans(structure, mapping, shares, describe(schedule, structure, mapping, layer, spec),
                            accumulation);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Index rank = shares[i].rank;
      all[usize(rank)] = {std::move(shares[i]), std::move(plans[i])};
    }
  }
  return all;
}

}  // namespace trisweep::plan
