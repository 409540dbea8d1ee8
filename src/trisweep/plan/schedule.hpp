#pragma once
// From the choices on the plan's axes to a description of what each layer does.

#include <variant>
#include <vector>

#include "trisweep/plan/exchange.hpp"
#include "trisweep/plan/sweep.hpp"
#include "trisweep/plan/vectors.hpp"

namespace trisweep::plan {

// The side whose panels each sweep applies, and whether they are conjugated, for an op and a kind of factors.
struct SweepSides {
  distribution::Side forward;
  distribution::Side backward;
  bool conjugate_forward;
  bool conjugate_backward;
};

struct PlanSpec {
  Op op = Op::none;
  bool upper_is_lower = false;  // U is not stored, but is lower_op(L)
  Tree tree = binary_tree;
  InterGrid inter_grid = sparse_allreduce;
  // Where the caller has b and x; null: each row is at its home already, so that none is moved.
  std::shared_ptr<const VectorPlaces> vectors{};
  Op lower_op = Op::conjugate_transpose;
  Pruning pruning{};
};

// A = L D U. N: forward with L, backward with U. T: forward with U^T, backward with L^T. H: the same,
// conjugated. If U = L^H: both with L, conjugated in the backward sweep for N and H, in the forward sweep for
// T. If U = L^T: both with L, conjugated for H.
SweepSides sweep_sides(const PlanSpec& spec);

// Multiply owned segments by their own inverted diagonal blocks: in every layer that holds them, or in their
// home layer only. The tiles' product is a sweep over the diagonal side: see add_diagonal_product().
struct DiagonalSpec {
  Op op = Op::none;
  bool at_home_only = false;
  SupernodeSet within{};
};

using PhaseSpec = std::variant<SweepSpec, ExchangeSpec, DiagonalSpec, VectorSpec>;

// The supernodes that exactly `layers` layers hold, `layer` among them: one node of the separator tree, or a
// whole leaf subtree. At a node above several layers only the lowest of them is active; for the others the
// range is empty.
SupernodeRange active_node(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                           Index layer, Index layers);

// Appends both parts of the product with D^-1 to a list of phases; the part for tiles is idle if there are
// none.
void add_diagonal_product(std::vector<PhaseSpec>& phases, const symbolic::Structure& structure,
                          const PlanSpec& spec, bool at_home_only);

// Describes what `layer` does in a solve, phase by phase; all layers have phases of the same types in the
// same order. Before a solve: the right-hand side of each supernode is on its owner in its home layer, other
// layers' owners have zero. After: the solution is on the owner in the home layer. make_plan() makes a rank's
// plan from it. Each kind is one such function in a file of its own; schedules() lists them by name.
using ScheduleFunction = std::vector<PhaseSpec>(const symbolic::Structure& structure,
                                                const distribution::Mapping& mapping, Index layer,
                                                const PlanSpec& spec);
using Schedule = ScheduleFunction*;

// All that `layer` does from b to x: b is brought in, the phases of the schedule follow, and x is brought
// out. Nothing is brought in or out if b and x are at home. P A Q = L D U: b is permuted like A's rows and x
// like its columns, for the transposes of A the other way round. Pruned as `spec` says, for any schedule.
std::vector<PhaseSpec> describe(Schedule schedule, const symbolic::Structure& structure,
                                const distribution::Mapping& mapping, Index layer, const PlanSpec& spec);

// SC'23 Algorithm 1: every layer solves its whole L^z without waiting for any other, one exchange between
// layers makes the partial solutions of shared segments whole, then every layer solves its whole U^z. One
// inter-grid synchronization per solve. With one layer this is the 2D algorithm.
ScheduleFunction single_sync;

// The baseline of SC'23 section 2.2 (Sao, Li, Vuduc 2019): level by level of the separator tree, partial sums
// go to the lowest of the two layers below a node, which alone goes on; backward the other way. log2(Pz)
// inter-grid synchronizations each way, half of the layers idle after each. `inter_grid` does not apply.
ScheduleFunction level_sync;

// The same baseline as in SuperLU_DIST, with blocking collectives of whole process rows and columns for the
// supernodes of ancestors, one after another, and a message for each of them between layers.
// `published_packed` sends all that a rank has for another in one message. `inter_grid` does not apply.
ScheduleFunction published;
ScheduleFunction published_packed;

}  // namespace trisweep::plan
