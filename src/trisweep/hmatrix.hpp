#pragma once
// Public header: hierarchical matrices (trisweep::hmatrix::HMatrix) of any kernel, their files and
// preconditioners, and the Krylov methods that solve with them. Needs the package's component hmatrix.

#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/hmatrix/matrix_file.hpp"
#include "trisweep/hmatrix/point_kernel.hpp"
#include "trisweep/hmatrix/preconditioners.hpp"
#include "trisweep/krylov/gmres.hpp"
#include "trisweep/krylov/methods.hpp"
