#pragma once
// How the BLAS and LAPACK name their functions: TRISWEEP_FOR_EACH_FORTRAN_SCALAR(MACRO) expands MACRO(first
// letter, scalar type, real or complex) for each scalar type.

#include "trisweep/core/types.hpp"

#define TRISWEEP_FOR_EACH_FORTRAN_SCALAR(MACRO) \
  MACRO(s, float, real)                         \
  MACRO(d, double, real)                        \
  MACRO(c, std::complex<float>, complex)        \
  MACRO(z, std::complex<double>, complex)
