#pragma once
// From the description of what a layer does to the plan of one of its ranks.

#include <span>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

// The plan of rank share.rank: one phase for each of `specs`, which describe layer share.layer.
Plan make_plan(const symbolic::Structure& structure, const distribution::Mapping& mapping,
               const distribution::Share& share, std::span<const PhaseSpec> specs,
               const Accumulation& accumulation = {});

}  // namespace trisweep::plan
