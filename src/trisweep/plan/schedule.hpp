#pragma once
// From the choices on the plan's axes to the plan of one rank.

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// Which factor leads each sweep and with what conjugation: how an op and a kind of factors become panels.
struct SweepSides {
  distribution::Side forward;
  distribution::Side backward;
  bool conjugate_forward;
  bool conjugate_backward;
};

// A = L D U. N: forward with L, backward with U. T: forward with U^T, backward with L^T. H: those conjugated.
// Cholesky (`upper_is_lower`, U = L^H): both with L; conjugation moves to the other sweep for T.
SweepSides sweep_sides(Op op, bool upper_is_lower);

struct PlanSpec {
  Op op = Op::none;
  bool upper_is_lower = false;
  TreeKind tree = TreeKind::binary;
};

// SC'23 Algorithm 1: every layer solves its whole L^z without waiting for any other, one exchange between
// layers makes the partial solutions of shared segments whole, then every layer solves its whole U^z. One
// inter-grid synchronization per solve. With one layer this is the 2D algorithm.
Plan single_sync(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                 const distribution::Share& share, const PlanSpec& spec);

}  // namespace trisweep::plan
