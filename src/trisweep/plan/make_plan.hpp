#pragma once
// From the description of what a layer does to the plan of one of its ranks.

#include <span>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

// The plans of ranks of one layer, in the order of `blocks_by_rank`: one phase for each of `specs`, which
// describe that layer. Data that the ranks have in common are made once.
std::vector<Plan> make_plans(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                             std::span<const distribution::LocalBlocks> blocks_by_rank,
                             std::span<const PhaseSpec> specs, const Accumulation& accumulation = {});

// The plan of one rank.
Plan make_plan(const symbolic::Structure& structure, const distribution::Mapping& mapping,
               const distribution::LocalBlocks& local_blocks, std::span<const PhaseSpec> specs,
               const Accumulation& accumulation = {});

// The plan of a single rank, from its plan `other` for another op, with the same schedule and without
// pruning: lower and upper side have the same pieces, so that their sweeps differ only in the panels that
// they read.
Plan make_plan_like(const Plan& other, const symbolic::Structure& structure,
                    const distribution::Mapping& mapping, const distribution::LocalBlocks& local_blocks,
                    std::span<const PhaseSpec> specs, const Accumulation& accumulation = {});

// A rank's local blocks, and its plan, which refers to them.
struct RankPlan {
  distribution::LocalBlocks local_blocks;
  Plan plan;
};

// The plans of all ranks, by rank. Layers are made one after another; all of them together take memory in
// proportion to the blocks that all layers hold.
std::vector<RankPlan> make_all_plans(const symbolic::Structure& structure,
                                     const distribution::Mapping& mapping, Schedule schedule,
                                     const PlanSpec& spec, const Accumulation& accumulation = {});

}  // namespace trisweep::plan
