#pragma once
// A system in block triangular form: the system of its diagonal blocks, which is factored, and the
// off-diagonal blocks, which are not.

#include <memory>

#include "trisweep/ordering/block_triangular_form.hpp"
#include "trisweep/solve/block_substitution.hpp"
#include "trisweep/solve/linear_system.hpp"
#include "trisweep/solve/solver_options.hpp"

namespace trisweep::solve {

// Collective.
template <Scalar T>
class BlockTriangularSystem {
 public:
  // Of the option `block_triangular`. Nothing where there is no such form, or (automatic) where it saves too
  // little: in small systems, and where few entries are off-diagonal, unless the diagonal blocks are
  // symmetric and the option `kind` leaves the choice, as with equations that give an unknown (Dirichlet
  // conditions) whose column is kept. `system`, and the communicator, outlive it.
  static std::unique_ptr<BlockTriangularSystem> find(const mpi::Communicator& comm,
                                                     const LinearSystem<T>& system,
                                                     const SolverOptions& options);

  // Takes the values that the system has now. False, with nothing changed, where they do not have the form.
  bool follow();

  LinearSystem<T>& diagonal() { return *diagonal_; }
  Coupling<T>& coupling() { return *coupling_; }
  Index stages() const { return coupling_->stages(); }
  // Nonzeros in off-diagonal blocks.
  Offset off_diagonal_nonzeros() const { return off_diagonal_nonzeros_; }

 private:
  struct Part;
  BlockTriangularSystem(const mpi::Communicator& comm, const LinearSystem<T>& system)
      : comm_(comm), system_(system) {}
  void split(ordering::BlockTriangularForm& form);
  Part take_diagonal(const ordering::BlockTriangularForm& form);
  Part take_off_diagonal(const ordering::BlockTriangularForm& form, Index stage);
  std::vector<std::pair<Index, Offset>> entries_of_row(Index i) const;

  const mpi::Communicator& comm_;
  const LinearSystem<T>& system_;
  // Entries of system_.matrix().local(), by entry of the diagonal blocks and of each stage's off-diagonal
  // ones, and those that have to be zero.
  std::vector<Offset> in_blocks_, zero_;
  std::vector<std::vector<Offset>> off_diagonal_;
  std::unique_ptr<LinearSystem<T>> diagonal_;
  std::unique_ptr<Coupling<T>> coupling_;
  Offset off_diagonal_nonzeros_ = 0;
};

}  // namespace trisweep::solve
