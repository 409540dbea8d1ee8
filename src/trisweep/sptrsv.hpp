#pragma once
// Public header: solves with sparse triangular matrices (trisweep::sptrsv::RowSolver, and DeviceSolver on
// GPUs), and the incomplete factorizations ILU(0) and ILUT.

#include "trisweep/sptrsv/backward_error.hpp"
#include "trisweep/sptrsv/device_solver.hpp"
#include "trisweep/sptrsv/ilu0.hpp"
#include "trisweep/sptrsv/ilut.hpp"
#include "trisweep/sptrsv/row_solver.hpp"
