#pragma once
// SuperLU_DIST's factors for a solver to begin with: whatever a rank of its 2D process grid has of L and U
// goes to the ranks that own it here; no rank has all. For SuperLU_DIST 8 and 9, of any type and size of
// integers; include its header (superlu_ddefs.h, ...) before this one.
//
//   pdgssvx(&options, &a, &permutation, b, ..., &grid, &lu, ...);  // factors, as ever
//   trisweep::Solver<double> solver(comm, rows, {},
//                                   trisweep::superlu_dist_factors(n, permutation, lu, grid));
//   solver.solve(b, x);  // in the place of pdgssvx with FACTORED

#include "trisweep/solve/lu_source.hpp"
#include "trisweep/solver.hpp"
#include "trisweep/superlu_dist/entries.hpp"

namespace trisweep {

// Of a matrix with n rows, after pdgssvx or its like has factored it. `permutation` (dScalePermstruct_t,
// ...), `lu` (dLUstruct_t, ...) and `grid` are read until the solver is made; the ranks of its communicator
// are those of the grid, in any order. Equilibration, row and column permutations are SuperLU_DIST's; a tiny
// pivot that it has replaced is corrected by refinement. Throws std::bad_alloc alone; what is wrong with the
// factors the solver throws (lu_source).
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
