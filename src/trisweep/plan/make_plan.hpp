#pragma once
// From the description of what a layer does to the plan of one of its ranks.

#include <span>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

// The plans of ranks of one layer, in the order of `shares`: one phase for each of `specs`, which describe
// that layer. What the ranks have in common is made once.
std::vector<Plan> make_plans(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                             std::span<const distribution::LocalBlocks> blocks_by_rank,
                             std::span<const PhaseSpec> specs, const Accumulation& accumulation = {});

// The plan of one rank.
Plan make_plan(const symbolic::Structure& structure, const distribution::Mapping& mapping,
               const distribution::LocalBlocks& local_blocks, std::span<const PhaseSpec> specs,
               const Accumulation& accumulation = {});

// The same of a rank that is alone, whose plan for another op is `other`, of the same schedule and without
// pruning: both sides have the same pieces, so that a sweep is the other's but for the panels that it reads.
Plan make_plan_like(const Plan& other, const symbolic::Structure& structure,
                    const distribution::Mapping& mapping, const distribution::LocalBlocks& local_blocks,
                    std::span<const PhaseSpec> specs, const Accumulation& accumulation = {});

// A rank's share and its plan, which refers to it.
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
