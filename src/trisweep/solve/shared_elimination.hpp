#pragma once
// Elimination of a front by several ranks: right-looking, with the panel of each step broadcast by its owner
// (fan-out; as in Ashcraft, The fan-both family of column-based distributed Cholesky factorization
// algorithms, 1993).

#include <optional>
#include <span>
#include <vector>

#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/front_factorization.hpp"

namespace trisweep::solve {

// Outcome of a factorization.
enum class FrontsEnd : int {
  done,
  delays,      // a pivot of a shared front would have to be delayed: fronts cannot be shared
  other_kind,  // another kind of factorization is needed: numeric::factor() would return nullopt
};

template <Scalar T>
class SharedElimination {
 public:
  // Assembles the entries of A in front f. `keeper`: for each supernode, the rank that keeps its panels.
  SharedElimination(const mpi::Communicator& comm, const distribution::SharedFront& front, Index f,
                    std::span<const Index> keeper, numeric::FrontFactorization<T>& run);

  // The front, to which the contributions of its children are added.
  numeric::ArrowheadMatrix<T> assembled() const { return {shape_.arrowheads, front_.panels}; }
  // Collective among the front's ranks. If it does not return `done`, the front is undefined.
  FrontsEnd eliminate();
  // Then, also collective: sends the parts of supernodes that were split over arrowheads to their keepers.
  void bring_together();
  // The last step: inverts the diagonal blocks of supernodes that were brought together. Local, and costly.
  void finish();
  numeric::ArrowheadMatrix<T> contribution() const { return {contribution_, handed_on_}; }
  void free_contribution() { contribution_memory_ = {}; }

 private:
  // A supernode wider than its arrowheads, on its keeper: L and U of P A = L U, or L.
  struct Whole {
    numeric::Panel<T> panel;
    std::vector<Index> interchanges;
  };

  // Number of rows below the diagonal block of an arrowhead.
  Index rest(Index arrowhead) const {
    return shape_.arrowheads.rows() - shape_.arrowheads.begin[usize(arrowhead) + 1];
  }
  bool is_in_factors(Index arrowhead) const { return arrowhead < shape_.eliminated() && !is_cut(arrowhead); }
  std::size_t entries(Index arrowhead) const;
  numeric::Panel<T> panel_in(T* memory, Index arrowhead) const;
  void lay_out();
  void add_entries(Index supernode, Index start);
  bool is_cut(Index arrowhead) const {
    return shape_.arrowheads.width(arrowhead) < structure_.width(shape_.supernode[usize(arrowhead)]);
  }
  bool is_mine(Index arrowhead) const { return shape_.arrowheads.owner[usize(arrowhead)] == comm_.rank(); }
  std::optional<numeric::PanelUpdate<T>> exchange(Index arrowhead,
                                                  const std::optional<numeric::PanelUpdate<T>>& mine);
  void bring(Index arrowhead);

  const mpi::Communicator& comm_;
  const distribution::SharedFront& shape_;
  const symbolic::Structure& structure_;
  numeric::Kind kind_;
  Index f_;
  std::span<const Index> keeper_;
  numeric::FrontFactorization<T>& run_;
  std::vector<Index> ranks_;
  numeric::Front<T> front_;  // its panels are the arrowheads, including those of the contribution
  // Memory of arrowheads that are not in the factors: eliminated ones, and those of the contribution.
  Buffer<T> cut_, contribution_memory_;
  numeric::Arrowheads contribution_;
  std::vector<numeric::Panel<T>> handed_on_;      // of the contribution
  std::vector<std::vector<Index>> interchanges_;  // by eliminated arrowhead
  std::vector<Whole> whole_;
  numeric::EliminationScratch<T> scratch_;
  numeric::Elimination<T> steps_;
  Buffer<T> message_;
  double unpolled_ = 0;  // flops
};

}  // namespace trisweep::solve
