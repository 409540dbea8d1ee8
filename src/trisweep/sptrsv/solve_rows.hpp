#pragma once
// Kernels that solve the rows of a block in order. solve_rows.cpp is compiled once for each instruction set.

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::sptrsv {

struct PackedRow {
  Index unknown;
  Index entries;  // number of entries
};

// `rows` rows and their entries, in the order in which they are solved.
template <Scalar T>
struct RowRange {
  const PackedRow* row;
  const Index* col;
  const T* value;
  const T* diagonal;  // by row; null: ones
  bool inverted;      // `diagonal` holds the inverses
  Index rows;
};

// Numbers of right-hand sides solved together, each with its own kernel.
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
