#pragma once
// Computes the charge of conductors by boundary elements: A s = V for the charge densities s of the
// triangles, with the single layer potential as an H-matrix, by BiCGStab (HACApK's system); Q = sum_j s_j
// area_j.

#include "apps/bem/conductors.hpp"
#include "studies/hacapk_distribution.hpp"
#include "studies/himv/device_product.hpp"
#include "trisweep/core/output_file.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::bem {

struct ChargeOptions {
  Index leaf_size = 32;  // of the clusters
  hmatrix::HMatrixOptions matrix;
  studies::DeviceProductOptions where;   // where products are computed and BiCGStab's vectors are
  engine::Recorder* recorder = nullptr;  // for the solve, with one more thread than the thread pool
  std::string method = "bicgstab";       // one of krylov::methods()
  std::string preconditioner = "none";   // one of preconditioners()
  krylov::KrylovOptions solver{.tolerance = 1e-7};
  int products = 5;                             // number of products that are timed
  bool keep_density = false, keep_map = false;  // for pictures
  Index sampled_rows = 30;                      // for the error of products
};

// A block in a picture of the matrix.
struct MappedBlock {
  Index row_begin, row_end, col_begin, col_end;
  Index rank;  // StoredBlock::dense: none
};

struct ChargeResult {
  double charge = 0;  // in C, of the counted triangles
  double total_charge = 0;
  double eps = 0;  // of the matrix, computed or loaded
  hmatrix::Statistics matrix;
  studies::HacapkBalance hacapk;      // balance of HACApK's distribution, if the matrix was not loaded
  studies::DeviceCounts device;       // of this rank, if products are computed on a device
  device::StepCounts steps;           // the same, for the solve's vectors on the device
  double sampled_error = 0;           // of products (hmatrix.hpp)
  double product_seconds = 0;         // of the fastest product, on the slowest rank
  double preconditioner_seconds = 0;  // time of its setup
  double solve_seconds = 0;
  krylov::KrylovResult solve;
  // On rank 0, if requested: charge density of every triangle, in C / m^2, and all blocks.
  std::vector<double> density;
  std::vector<MappedBlock> map;
};

// Folders of the matrix (matrix_file.hpp).
struct MatrixFiles {
  std::filesystem::path load;      // folder to read the matrix from; empty: it is computed
  bool save = false;               // saves the computed matrix
  OutputFolder* output = nullptr;  // destination, on rank 0
};

// Every rank passes all conductors. Collective; the results are the same on every rank. Throws as
// compress_blocks(), HMatrix and the files do, Error(input) if the loaded matrix is that of another surface,
// and Error(usage) if the method cannot be combined with the preconditioner.
ChargeResult solve_charge(const mpi::ParallelContext& context, const Conductors& conductors,
                          const ChargeOptions& options, const MatrixFiles& files = {},
                          Observer& observer = silent_observer());

}  // namespace trisweep::bem
