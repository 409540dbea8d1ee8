#pragma once
// SuperLU_DIST's factors for a solver to begin with: whatever a rank of its 2D process grid has of L and U
// goes to the ranks that own it here; no rank has all. For SuperLU_DIST 8 and 9, of any type and size of
// integers; include its header (superlu_ddefs.h, ...) before this one.
//
//   pdgssvx(&options, &a, &permutation, b, ..., &grid, &lu, ...);  // factors, as ever
//   trisweep::Solver<double> solver(comm, rows, {},
//                                   trisweep::superlu_dist_factors(n, permutation, lu, grid));
//   solver.solve(b, x);  // in the place of pdgssvx with FACTORED

#include <complex>
#include <type_traits>

#include "trisweep/solve/lu_source.hpp"
#include "trisweep/solver.hpp"

namespace trisweep {
namespace superlu_dist {

// Its headers of arrays of indices (its superlu_defs.h).
inline constexpr Index l_header = 2, l_block = 2, u_header = 3, u_block = 2;

template <class Lu>
using ValueOf = std::remove_pointer_t<std::remove_pointer_t<decltype(Lu::Llu->Lnzval_bc_ptr)>>;
// Its doublecomplex is a structure.
template <class Lu>
using ScalarOf = std::conditional_t<std::is_arithmetic_v<ValueOf<Lu>>, ValueOf<Lu>, std::complex<double>>;

// Block columns of L, each with its diagonal block, which has U's, on the process that owns it: dense, rows
// by number.
template <class T, class Lu, class Grid, class Visit>
void visit_lower(const Lu& lu, const Grid& grid, Index supernodes, const Visit& visit) {
  const auto* const first = lu.Glu_persist->xsup;
  Index local = 0;
  for (Index k = grid.iam % static_cast<Index>(grid.npcol); k < supernodes;
       k += static_cast<Index>(grid.npcol), ++local) {
    const auto* index = lu.Llu->Lrowind_bc_ptr[local];
    if (index == nullptr) continue;
    const auto* const value = reinterpret_cast<const T*>(lu.Llu->Lnzval_bc_ptr[local]);
    const Offset height = index[1];
    const auto blocks = index[0];
    index += l_header;
    Offset at = 0;
    for (auto b = blocks; b > 0; --b) {
      const auto rows = index[1];
      index += l_block;
      for (auto i = rows; i > 0; --i, ++index, ++at) {
        for (auto j = first[k]; j < first[k + 1]; ++j)
          visit(static_cast<Index>(*index), static_cast<Index>(j), value[at + (j - first[k]) * height]);
      }
    }
  }
}

// Block rows of U without the diagonal: of each column of a block the entries from its first nonzero on (a
// skyline).
template <class T, class Lu, class Grid, class Visit>
void visit_upper(const Lu& lu, const Grid& grid, Index supernodes, const Visit& visit) {
  const auto* const first = lu.Glu_persist->xsup;
  Index local = 0;
  for (Index k = grid.iam / static_cast<Index>(grid.npcol); k < supernodes;
       k += static_cast<Index>(grid.nprow), ++local) {
    const auto* index = lu.Llu->Ufstnz_br_ptr[local];
    if (index == nullptr) continue;
    const auto* value = reinterpret_cast<const T*>(lu.Llu->Unzval_br_ptr[local]);
    const auto blocks = index[0];
    index += u_header;
    for (auto b = blocks; b > 0; --b) {
      const auto i = index[0];
      index += u_block;
      for (auto j = first[i]; j < first[i + 1]; ++j, ++index) {
        for (auto row = *index; row < first[k + 1]; ++row)
          visit(static_cast<Index>(row), static_cast<Index>(j), *value++);
      }
    }
  }
}

}  // namespace superlu_dist

// Of a matrix with n rows, after pdgssvx or its like has factored it. `permutation` (dScalePermstruct_t,
// ...), `lu` (dLUstruct_t, ...) and `grid` are read until the solver is made; the ranks of its communicator
// are those of the grid, in any order. Equilibration, row and column permutations are SuperLU_DIST's; a tiny
// pivot that it has replaced is corrected by refinement.
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
    parts.for_each_entry = [&lu, &grid, supernodes](const typename solve::LuParts<T>::Visit& visit) {
      superlu_dist::visit_lower<T>(lu, grid, supernodes, visit);
      superlu_dist::visit_upper<T>(lu, grid, supernodes, visit);
    };
  } else {
    parts.for_each_entry = [](const typename solve::LuParts<T>::Visit&) {};
  }
  return FactorSources<T>{.in_full = lu_source(std::move(parts))};
}

}  // namespace trisweep
