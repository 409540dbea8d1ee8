#pragma once
// Where the caller has b and x, and how they come from there to the owners of their segments and back.

#include <memory>
#include <span>
#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/plan/plan.hpp"
#include "trisweep/plan/pruning.hpp"

namespace trisweep::plan {

// The caller's rows, by rows and columns of the structure.
struct VectorPlaces {
  distribution::RowPartition partition;  // the rank that has each of the caller's rows
  std::vector<Index> row_old;            // by row of the structure: the row of A
  std::vector<Index> col_old;            // by column of the structure: the column of A
};
VectorPlaces vector_places(const ordering::Ordering& ordering, distribution::RowPartition partition);

// Brings the vector that is permuted like A's rows, or like its columns, in or out.
struct VectorSpec {
  VectorWay way = VectorWay::in;
  bool columns = false;
  std::shared_ptr<const VectorPlaces> places;
  SupernodeSet within{};  // rows of other supernodes are left out

  // The caller's row of each row of the structure.
  const std::vector<Index>& old() const { return columns ? places->col_old : places->row_old; }
};

// Calls visit(supernode, row of the structure, the caller's row, rank where the caller has it, home) for each
// row that is moved.
template <class Visit>
void for_each_vector_row(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                         const VectorSpec& spec, Visit&& visit) {
  const bool alone = mapping.ranks() == 1;
  const std::vector<Index>& old = spec.old();
  for (Index k = 0; k < structure.supernodes(); ++k) {
    if (!spec.within.contains(k)) continue;
    const RankId home(alone ? 0 : mapping.home(k));
    for (Index j = structure.first[usize(k)]; j < structure.first[usize(k) + 1]; ++j) {
      const RankId caller(alone ? 0 : spec.places->partition.owner(old[usize(j)]));
      visit(k, j, old[usize(j)], caller, home);
    }
  }
}

// The phases of the ranks of `blocks_by_rank`, in their order. Each rank has one message with each rank that
// it shares rows with, in the order of ranks: at most ranks - 1 each way.
std::vector<VectorPhase> make_vectors(const symbolic::Structure& structure,
                                      const distribution::Mapping& mapping,
                                      std::span<const distribution::LocalBlocks> blocks_by_rank,
                                      const VectorSpec& spec);

}  // namespace trisweep::plan
