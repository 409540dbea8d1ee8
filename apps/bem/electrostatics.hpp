#pragma once
// Boundary elements from conductors to their charge: A s = V for the charge densities s of the triangles,
// with the single layer potential as an H-matrix, by BiCGStab (HACApK's system); Q = sum_j s_j area_j.

#include "apps/bem/conductors.hpp"
#include "studies/hacapk_distribution.hpp"
#include "studies/himv/device_product.hpp"
#include "trisweep/core/output_file.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::bem {

struct ChargeOptions {
  Index leaf_size = 32;  // of the cluster tree
  hmatrix::HMatrixOptions matrix;
  studies::DeviceProductOptions where;   // products are made, and the vectors of BiCGStab are
  engine::Recorder* recorder = nullptr;  // of the solve, with a thread more than the thread pool
  std::string method = "bicgstab";       // of krylov::methods()
  std::string preconditioner = "none";   // of preconditioners()
  krylov::KrylovOptions solver{.tolerance = 1e-7};
  int products = 5;                             // that are timed
  bool keep_density = false, keep_map = false;  // for pictures
  Index sampled_rows = 30;                      // for the error of products
};

// Of a picture of the matrix.
struct MappedBlock {
  Index row_begin, row_end, col_begin, col_end;
  Index rank;  // StoredBlock::dense: none
};

struct ChargeResult {
  double charge = 0;  // C, of the triangles that are counted
  double total_charge = 0;
  double eps = 0;  // of the matrix, made or loaded
  hmatrix::Statistics matrix;
  studies::HacapkBalance hacapk;      // had HACApK dealt it out, where it was made and not loaded
  studies::DeviceCounts device;       // of this rank, where products are made on a device
  device::StepCounts steps;           // the same, of the solve's vectors that are there
  double sampled_error = 0;           // of products (hmatrix.hpp)
  double product_seconds = 0;         // the fastest; of the slowest rank
  double preconditioner_seconds = 0;  // that it took to make it
  double solve_seconds = 0;
  krylov::KrylovResult solve;
  // On rank 0 where they are asked for: charge density of every triangle, C / m^2, and all blocks.
  std::vector<double> density;
  std::vector<MappedBlock> map;
};

// Folders of the matrix (matrix_file.hpp).
struct MatrixFiles {
  std::filesystem::path load;      // to read it from; empty: it is made
  bool save = false;               // the matrix that was made
  OutputFolder* output = nullptr;  // where to, of rank 0
};

// Every rank has all conductors. Collective; the same on every rank. Throws as compress_blocks(), HMatrix and
// the files do, Error(input) when the matrix that is loaded is that of another surface, and Error(usage) when
// the method cannot go with the preconditioner.
ChargeResult solve_charge(const mpi::ParallelContext& context, const Conductors& conductors,
                          const ChargeOptions& options, const MatrixFiles& files = {},
                          Observer& observer = silent_observer());

}  // namespace trisweep::bem
