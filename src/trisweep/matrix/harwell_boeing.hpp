#pragma once
// Harwell-Boeing (Duff, Grimes, Lewis, RAL-92-086, 1992) and Rutherford-Boeing (RAL-TR-97-031, 1997) files:
// compressed columns in fixed-width Fortran lines. Every assembled type, [RCPIQ][SUHZR]A; elemental ones are
// refused. P and Q (values in another file) get the value 1.

#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/matrix/line_reader.hpp"

namespace trisweep::matrix {

// Both read from line 1 on.
AnyCsr read_harwell_boeing(LineReader& lines);
AnyDense read_harwell_boeing_dense(LineReader& lines);  // the right-hand sides, when stored in full (F)

}  // namespace trisweep::matrix
