#include "trisweep/plan/make_plan.hpp"

namespace trisweep::plan {
namespace {

// Makes the phase of one rank from each kind of description.
struct Instantiate {
  const symbolic::Structure& structure;
  const distribution::Mapping& mapping;
  const distribution::Share& share;
  const Accumulation& accumulation;

  Phase operator()(const SweepSpec& spec) const {
    return make_sweep(structure, mapping, share, spec, accumulation);
  }
  Phase operator()(const ExchangeSpec& spec) const { return make_exchange(mapping, share, spec); }
  Phase operator()(const DiagonalSpec& spec) const {
    DiagonalPhase phase{.op = spec.op, .segment = {}};
    for (Index s = 0; s < share.segments(); ++s) {
      const bool here = !spec.at_home_only || mapping.home(share.segment[usize(s)]) == share.rank;
      if (share.owned[usize(s)] && here) phase.segment.push_back(s);
    }
    return phase;
  }
};

}  // namespace

Plan make_plan(const symbolic::Structure& structure, const distribution::Mapping& mapping,
               const distribution::Share& share, std::span<const PhaseSpec> specs,
               const Accumulation& accumulation) {
  const Instantiate instantiate{structure, mapping, share, accumulation};
  Plan plan;
  for (const PhaseSpec& spec : specs) plan.phase.push_back(std::visit(instantiate, spec));
  return plan;
}

}  // namespace trisweep::plan
