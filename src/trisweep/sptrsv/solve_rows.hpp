#pragma once
// The rows of a block, one after another. solve_rows.cpp is compiled once for each instruction set.

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::sptrsv {

struct PackedRow {
  Index unknown;
  Index entries;  // how many
};

// `rows` rows in the order in which they are solved, and their entries in that order.
template <Scalar T>
struct RowRange {
  const PackedRow* row;
  const Index* col;
  const T* value;
  const T* diagonal;  // by row; null: ones
  bool inverted;      // `diagonal` holds the inverses
  Index rows;
};

// Right-hand sides that are solved at once, as many as have a kernel of their own.
inline constexpr int few_columns = 4, some_columns = 8, many_columns = 32;

#define TRISWEEP_DECLARE(isa)                                \
  namespace isa {                                            \
  template <Scalar T>                                        \
  void solve_one(const RowRange<T>& rows, const T* b, T* x); \
  template <Scalar T, int columns>                           \
  void solve_several(const RowRange<T>& rows, T* x);         \
  }
// solve_one: x may be b. solve_several: x is row-major, rows x columns, and holds the right-hand sides.
TRISWEEP_FOR_EACH_ISA(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::sptrsv
