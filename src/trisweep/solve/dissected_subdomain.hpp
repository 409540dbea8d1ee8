#pragma once
// A subdomain of a dissection by all ranks, which one rank dissects further and analyzes.

#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/permutation.hpp"
#include "trisweep/ordering/dissection.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/solve/grouped_rows.hpp"
#include "trisweep/symbolic/parts.hpp"

namespace trisweep::solve {

// The groups of rows that make up a subdomain, and their neighbours.
struct SubdomainRows {
  Index root;              // node of the separator tree
  std::vector<Index> row;  // groups, ascending
  std::vector<Offset> begin{0};
  std::vector<Index> col;  // by row, all groups next to it
};

class DissectedSubdomain {
 public:
  // Dissects as a single rank does. `levels`: of the whole separator tree. `groups` must outlive this.
  DissectedSubdomain(SubdomainRows rows, const GroupedRows& groups, const ordering::OrderingOptions& options,
                     Observer& observer);

  // Calls visit(node of the whole tree, groups in their order) for all nodes of the subdomain.
  template <class Visit>
  void for_each_node(const Visit& visit) const {
    for (Index t = 1; t < std::ssize(nodes_); ++t) {
      const Index top = Index{1} << ordering::level_of(t);
      visit(root_ * top + (t - top), gathered(own_, nodes_[usize(t)]));
    }
  }

  // `number`: of all rows of the matrix, in the order of the tree.
  symbolic::Part part(const std::vector<Index>& number) const;

 private:
  Index own() const { return static_cast<Index>(own_.size()); }
  Index place_of(Index col) const;
  template <class Visit>
  void for_each_group(const Visit& visit) const;

  const GroupedRows& groups_;
  Index root_;
  std::vector<Index> own_, around_;  // groups: of the subdomain, and of separators next to it
  matrix::Pattern pattern_;          // of own groups, then those around
  ordering::TreeVertices nodes_;
};

}  // namespace trisweep::solve
