#pragma once
// Copies rows between the caller's vectors (columns, in the order of the matrix), messages and the work
// vectors of the sweeps (rows of all right-hand sides, permuted, scaled, by segment).

#include <span>
#include <vector>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vector_rows.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

// The caller's vectors where the entries of a row are neighbours.
template <Scalar T>
struct RowMajorVectors {
  VectorRows<const T> b{};
  VectorRows<T> x{};
  bool adds = false;  // the solution to x
};

// b and x of one rank, with what its rows of each are multiplied by on their way (null: 1).
template <Scalar T>
struct CallersVectors {
  Vectors<const T> b{};
  Vectors<T> x{};
  bool scaled = true;         // false: of the scaled, unpermuted matrix Dr A Dc
  RowMajorVectors<T> rows{};  // of the host, in the place of b and x
  Vectors<const T> base{};    // on a device: as device::CallersRows has it
  const RealOf<T>* b_scale = nullptr;
  const RealOf<T>* x_scale = nullptr;

  Index columns() const { return rows.b.cols > 0 ? rows.b.cols : b.cols; }
};

// What this rank's rows of b and x are multiplied by.
template <Scalar T>
class VectorScales {
 public:
  VectorScales(const ordering::Ordering& ordering, const distribution::RowPartition& partition, Index rank);
  // The vectors with their scales: the equations of op(A) x = b are scaled like A's rows and the unknowns
  // like its columns, for the transposes of A the other way round.
  CallersVectors<T> scaled(Op op, CallersVectors<T> vectors) const;

 private:
  std::vector<RealOf<T>> equations_, unknowns_;  // empty: all 1
};

// Of one VectorPhase. In: work = P S b; out: x = S P^T work. Messages have a row after another.
template <Scalar T>
class VectorMoves {
 public:
  VectorMoves(ThreadPool& pool, plan::VectorWay way, const CallersVectors<T>& vectors,
              const kernels::Work<T>& work)
      : pool_(pool), way_(way), vectors_(vectors), work_(work) {}

  // Rows that stay on this rank, without a copy in between.
  void keep(std::span<const Index> caller, std::span<const plan::WorkRow> work) const;
  // Rows of a plan::VectorMessage that is sent, and of one that has come.
  void pack(std::span<const Index> row, T* message) const;
  void unpack(std::span<const Index> row, T* message) const;

 private:
  // Between the caller's rows and their lines at(i).
  template <class At>
  void at_caller(std::span<const Index> row, const At& at) const;

  ThreadPool& pool_;
  plan::VectorWay way_;
  const CallersVectors<T>& vectors_;
  const kernels::Work<T>& work_;
};

}  // namespace trisweep::engine
