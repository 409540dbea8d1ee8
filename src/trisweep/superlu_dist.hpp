#pragma once
// SuperLU_DIST's factors as the first factors of a solver: each rank of the 2D process grid sends its parts
// of L and U to the ranks that own them here; no rank gathers all of them. For SuperLU_DIST 8 and 9, any
// scalar type and index size; include its header (superlu_ddefs.h, ...) before this one.
//
//   pdgssvx(&options, &a, &permutation, b, ..., &grid, &lu, ...);  // factors, as ever
//   trisweep::Solver<double> solver(comm, rows, {},
//                                   trisweep::superlu_dist_factors(n, permutation, lu, grid));
//   solver.solve(b, x);  // instead of pdgssvx with FACTORED

#include "trisweep/solve/lu_source.hpp"
#include "trisweep/solver.hpp"
#include "trisweep/superlu_dist/entries.hpp"

namespace trisweep {

// The factors of a matrix with n rows, after pdgssvx or a similar driver has factored it. `permutation`
// (dScalePermstruct_t, ...), `lu` (dLUstruct_t, ...) and `grid` must stay valid until the solver is
// constructed; its communicator has the ranks of the grid, in any order. Equilibration and permutations are
// SuperLU_DIST's; the effect of tiny pivots that it replaced is corrected by refinement. Throws only
// std::bad_alloc; errors in the factors are thrown by the solver's constructor (lu_source).
template <class ScalePermutation, class Lu, class Grid>
auto superlu_dist_factors(Index n, const ScalePermutation& permutation, const Lu& lu, const Grid& grid) {
  using T = superlu_dist::ScalarOf<Lu>;
  solve::LuParts<T> parts;
  const auto scale = static_cast<int>(permutation.DiagScale);  // NOEQUIL, ROW, COL, BOTH
  if ((scale & 1) != 0) parts.row_scale.assign(permutation.R, permutation.R + n);
  if ((scale & 2) != 0) parts.col_scale.assign(permutation.C, permutation.C + n);
  for (Index i = 0; i < n; ++i) {  // Pc Pr Dr A Dc Pc^T = L U
    parts.row_new.push_back(static_cast<Index>(permutation.perm_c[permutation.perm_r[i]]));
    parts.col_new.push_back(static_cast<Index>(permutation.perm_c[i]));
  }
  if (grid.iam >= 0 && grid.iam < grid.nprow * grid.npcol) {
    const auto supernodes = static_cast<Index>(lu.Glu_persist->supno[n - 1]) + 1;
    parts.first.assign(lu.Glu_persist->xsup, lu.Glu_persist->xsup + supernodes);
    parts.for_each_entry = [&lu, &grid, supernodes](const typename solve::LuParts<T>::Visit& visit,
                                                    solve::LuColumns columns) {
      superlu_dist::visit_lower<T>(lu, grid, supernodes, {columns.begin, columns.end}, visit);
      superlu_dist::visit_upper<T>(lu, grid, supernodes, {columns.begin, columns.end}, visit);
    };
  } else {
    parts.for_each_entry = [](const typename solve::LuParts<T>::Visit&, solve::LuColumns) {};
  }
  return FactorSources<T>{.in_full = lu_source(std::move(parts))};
}

}  // namespace trisweep
