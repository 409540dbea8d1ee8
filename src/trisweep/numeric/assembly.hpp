#pragma once
// Fills a front: entries of the matrix, and the contribution blocks of its children (extend-add).

#include <span>
#include <vector>

#include "trisweep/numeric/front.hpp"
#include "trisweep/numeric/fronts.hpp"

namespace trisweep::numeric {

// What every front of one factorization is assembled from.
template <Scalar T>
struct Source {
  std::span<const T> values;  // of A
  const Fronts& fronts;

  const symbolic::Structure& structure() const { return *fronts.structure; }
};

// Assembles one front after the other; one per thread.
template <Scalar T>
class Assembly {
 public:
  explicit Assembly(const Source<T>& source) : source_(source) {}

  // Zero panels plus the entries of A.
  void begin(Front<T>& front);

  // Adds the contribution block of a child, whose rows are at `places` in the front.
  void add_child(Front<T>& front, View<T> child, std::span<const Index> places);

 private:
  // Child rows [begin, end) that are consecutive in the front too, from position `target` on.
  struct Run {
    Index begin;
    Index end;
    Index target;
  };

  void add_matrix(const Panel<T>& panel) const;
  void find_runs(const Front<T>& front, std::span<const Index> places);
  // Adds the child's column `from`, its rows in `runs` from `begin` on, to the column `to` whose row 0 is
  // front row `shift`.
  void add_column(std::span<const Run> runs, const T* from, Index begin, T* to, Index shift) const;
  void add_to_panel(const Panel<T>& panel, View<T> child, std::size_t first, std::size_t last) const;
  void add_transposed(const Panel<T>& panel, View<T> child, const Run& rows,
                      std::span<const Run> columns) const;
  void add_to_contribution(Front<T>& front, View<T> child, std::span<const Run> runs) const;

  const Source<T>& source_;
  std::vector<Run> runs_;
};

}  // namespace trisweep::numeric
