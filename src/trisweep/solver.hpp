#pragma once
// Public header: sparse linear systems on MPI ranks, by a direct solver (trisweep::Solver) or by a
// preconditioned Krylov method (trisweep::solve::IterativeSolver).

#include "trisweep/core/error.hpp"
#include "trisweep/solve/analyzed_system.hpp"
#include "trisweep/solve/iterative_solver.hpp"
#include "trisweep/solve/read_rows.hpp"
#include "trisweep/solve/solver.hpp"
