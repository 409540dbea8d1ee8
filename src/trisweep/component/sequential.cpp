#include <numeric>

#include "trisweep/component/algorithms.hpp"

namespace trisweep::component {

Assignment sequential(const matrix::Pattern& below, int threads) {
  Assignment assignment(usize(threads));
  ThreadRows& all = assignment.front();
  all.row.resize(usize(below.rows));
  std::iota(all.row.begin(), all.row.end(), 0);
  all.end_block();
  return assignment;
}

}  // namespace trisweep::component
