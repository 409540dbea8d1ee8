#include <numeric>

#include "trisweep/sptrsv/algorithms.hpp"

namespace trisweep::sptrsv {

Assignment sequential(const matrix::Pattern& below, int threads) {
  Assignment assignment(usize(threads));
  ThreadRows& all = assignment.front();
  all.row.resize(usize(below.rows));
  std::iota(all.row.begin(), all.row.end(), 0);
  all.end_block();
  return assignment;
}

}  // namespace trisweep::sptrsv
