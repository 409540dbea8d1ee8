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

// The caller's vectors in row-major order.
template <Scalar T>
struct RowMajorVectors {
  VectorRows<const T> b{};
  VectorRows<T> x{};
  bool adds = false;  // adds the solution to x
};

// b and x of one rank, with scaling factors of their rows (null: 1).
template <Scalar T>
struct CallersVectors {
  Vectors<const T> b{};
  Vectors<T> x{};
  bool scaled = true;         // false: of the scaled, unpermuted matrix Dr A Dc
  RowMajorVectors<T> rows{};  // in host memory, in place of b and x
  Vectors<const T> base{};    // on a device: see device::CallersRows
  const RealOf<T>* b_scale = nullptr;
  const RealOf<T>* x_scale = nullptr;

  Index columns() const { return rows.b.cols > 0 ? rows.b.cols : b.cols; }
};

// Scaling factors of this rank's rows of b and x.
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

// Moves rows for one VectorPhase. In: work = P S b; out: x = S P^T work. A message contains one row after
// another.
template <Scalar T>
class VectorMoves {
 public:
  VectorMoves(ThreadPool& pool, plan::VectorWay way, const CallersVectors<T>& vectors,
              const kernels::Work<T>& work)
      : pool_(pool), way_(way), vectors_(vectors), work_(work) {}

  // Moves rows that stay on this rank, without an intermediate copy.
  void keep(std::span<const Index> caller, std::span<const plan::WorkRow> work) const;
  // Moves rows of a plan::VectorMessage that is sent, or that has arrived.
  void pack(std::span<const Index> row, T* message) const;
  void unpack(std::span<const Index> row, T* message) const;

 private:
  // Moves between the caller's rows and their lines at(i).
  template <class At>
  void at_caller(std::span<const Index> row, const At& at) const;

  ThreadPool& pool_;
  plan::VectorWay way_;
  const CallersVectors<T>& vectors_;
  const kernels::Work<T>& work_;
};

}  // namespace trisweep::engine
