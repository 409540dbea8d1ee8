#pragma once
// A system in block triangular form: the system of its diagonal blocks, which is factored, and the
// off-diagonal blocks, which are not.

#include <memory>

#include "trisweep/ordering/block_triangular_form.hpp"
#include "trisweep/ordering/scaling.hpp"
#include "trisweep/solve/block_substitution.hpp"
#include "trisweep/solve/linear_system.hpp"
#include "trisweep/solve/solver_options.hpp"

namespace trisweep::solve {

// Collective.
template <Scalar T>
class BlockTriangularSystem {
 public:
  // Finds the form according to the option `block_triangular`. Returns null if there is no such form or, for
  // `automatic`, if it saves too little: in small systems, and if few entries are off-diagonal, unless the
  // diagonal blocks are symmetric and the option `kind` is automatic, as with Dirichlet conditions whose
  // columns are kept. `system`, the communicator and the options' observer must outlive it.
  static std::unique_ptr<BlockTriangularSystem> find(const mpi::Communicator& comm,
                                                     const LinearSystem<T>& system,
                                                     const SolverOptions& options);

  // Takes over new values of the system. Returns false, and changes nothing, if they do not have the form.
  bool follow();
  // Computes the scaling of the whole matrix, by which answers are judged, for an analysis of the values that
  // the system has: in balanced units or in the given ones (ordering/matching.hpp).
  void scale(bool balanced);

  LinearSystem<T>& diagonal() { return *diagonal_; }
  Coupling<T>& coupling() { return *coupling_; }
  Index stages() const { return coupling_->stages(); }
  // Nonzeros in off-diagonal blocks.
  Offset off_diagonal_nonzeros() const { return off_diagonal_nonzeros_; }

 private:
  struct Part;
  BlockTriangularSystem(const mpi::Communicator& comm, const LinearSystem<T>& system, Observer& observer)
      : comm_(comm), system_(system), observer_(observer) {}
  void split(ordering::BlockTriangularForm& form);
  Part take_diagonal(const ordering::BlockTriangularForm& form);
  Part take_off_diagonal(const ordering::BlockTriangularForm& form, Index stage);
  std::vector<std::pair<Index, Offset>> entries_of_row(Index i) const;

  const mpi::Communicator& comm_;
  const LinearSystem<T>& system_;
  Observer& observer_;
  ordering::Scaling scaling_;  // of all rows and columns
  // Indices of entries of system_.matrix().local(): by entry of the diagonal blocks, by entry of each stage's
  // off-diagonal blocks, and those that must be zero.
  std::vector<Offset> in_blocks_, zero_;
  std::vector<std::vector<Offset>> off_diagonal_;
  std::unique_ptr<LinearSystem<T>> diagonal_;
  std::unique_ptr<Coupling<T>> coupling_;
  Offset off_diagonal_nonzeros_ = 0;
};

}  // namespace trisweep::solve
