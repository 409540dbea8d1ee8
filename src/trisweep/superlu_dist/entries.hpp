#pragma once
// The entries of SuperLU_DIST's LUstruct, 8 and 9, of any type and size of integers.

#include <complex>
#include <type_traits>

#include "trisweep/core/types.hpp"

namespace trisweep::superlu_dist {

// Its headers of arrays of indices (its superlu_defs.h).
inline constexpr Index l_header = 2, l_block = 2, u_header = 3, u_block = 2;

template <class Lu>
using ValueOf = std::remove_pointer_t<std::remove_pointer_t<decltype(Lu::Llu->Lnzval_bc_ptr)>>;
// Its doublecomplex is a structure.
template <class Lu>
using ScalarOf = std::conditional_t<std::is_arithmetic_v<ValueOf<Lu>>, ValueOf<Lu>, std::complex<double>>;

// Of supernodes that are in [begin, end) of columns.
struct Columns {
  Index begin, end;
};

// Block columns of L, each with its diagonal block, which has U's, on the process that owns it: dense, rows
// by number.
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

// Block rows of U without the diagonal: of each column of a block the entries from its first nonzero on (a
// skyline).
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
