#pragma once
// The entries of the LUstruct of SuperLU_DIST 8 and 9, for any scalar type and size of integers.

#include <complex>
#include <type_traits>

#include "trisweep/core/types.hpp"

namespace trisweep::superlu_dist {

// Lengths of the headers in SuperLU_DIST's arrays of indices (its superlu_defs.h).
inline constexpr Index l_header = 2, l_block = 2, u_header = 3, u_block = 2;

template <class Lu>
using ValueOf = std::remove_pointer_t<std::remove_pointer_t<decltype(Lu::Llu->Lnzval_bc_ptr)>>;
// SuperLU_DIST's doublecomplex is a structure.
template <class Lu>
using ScalarOf = std::conditional_t<std::is_arithmetic_v<ValueOf<Lu>>, ValueOf<Lu>, std::complex<double>>;

// Selects the supernodes that have columns in [begin, end).
struct Columns {
  Index begin, end;
};

// Visits block columns of L, each on the process that owns it, with the diagonal block, which holds U's, too:
// dense, with a list of row numbers.
template <class T, class Lu, class Grid, class Visit>
void visit_lower(const Lu& lu, const Grid& grid, Index supernodes, Columns columns, const Visit& visit) {
  const auto* const first = lu.Glu_persist->xsup;
  Index local = 0;
  for (Index k = grid.iam % static_cast<Index>(grid.npcol); k < supernodes;
       k += static_cast<Index>(grid.npcol), ++local) {
    const auto* index = lu.Llu->Lrowind_bc_ptr[local];
    if (index == nullptr || first[k + 1] <= columns.begin || first[k] >= columns.end) continue;
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

// Visits block rows of U without the diagonal: in each column of a block, the entries from its first nonzero
// on (a skyline).
template <class T, class Lu, class Grid, class Visit>
void visit_upper(const Lu& lu, const Grid& grid, Index supernodes, Columns columns, const Visit& visit) {
  const auto* const first = lu.Glu_persist->xsup;
  Index local = 0;
  for (Index k = grid.iam / static_cast<Index>(grid.npcol); k < supernodes;
       k += static_cast<Index>(grid.nprow), ++local) {
    const auto* index = lu.Llu->Ufstnz_br_ptr[local];
    if (index == nullptr || first[k + 1] <= columns.begin || first[k] >= columns.end) continue;
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

}  // namespace trisweep::superlu_dist
