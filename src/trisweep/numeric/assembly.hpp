#pragma once
// Fills a front: entries of the matrix, and the contribution blocks of its children (extend-add).

#include <span>
#include <vector>

#include "trisweep/numeric/front.hpp"
#include "trisweep/numeric/fronts.hpp"

namespace trisweep::numeric {

// The data from which all fronts of a factorization are assembled.
template <Scalar T>
struct Source {
  std::span<const T> values;  // of A
  const Fronts& fronts;

  const symbolic::Structure& structure() const { return *fronts.structure; }
};

// Assembles fronts one after another; each thread has its own.
template <Scalar T>
class Assembly {
 public:
  explicit Assembly(const Source<T>& source) : source_(source) {}

  // Sets the panels to zero and adds the entries of A.
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
  // Adds the rows in `runs`, from row `begin` on, of the child's column `from` to the column `to`, whose row
  // 0 is row `shift` of the front.
  void add_column(std::span<const Run> runs, const T* from, Index begin, T* to, Index shift) const;
  void add_to_panel(const Panel<T>& panel, View<T> child, std::size_t first, std::size_t last) const;
  void add_transposed(const Panel<T>& panel, View<T> child, const Run& rows,
                      std::span<const Run> columns) const;
  void add_to_contribution(Front<T>& front, View<T> child, std::span<const Run> runs) const;

  const Source<T>& source_;
  std::vector<Run> runs_;
};

}  // namespace trisweep::numeric
