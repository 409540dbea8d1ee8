#include "trisweep/sptrsv/algorithms.hpp"

namespace trisweep::sptrsv {

Assignment sync_free(const matrix::Pattern& below, int threads) {
  constexpr Offset work_of_block = 500;  // a wait costs about as much
  Assignment assignment(usize(threads));
  std::size_t turn = 0;
  Offset work = 0;
  for (Index i = 0; i < below.rows; ++i) {
    assignment[turn].row.push_back(i);
    work += work_of(below, i);
    if (work < work_of_block) continue;
    assignment[turn].end_block();
    turn = (turn + 1) % assignment.size();
    work = 0;
  }
  assignment[turn].end_block();
  return assignment;
}

}  // namespace trisweep::sptrsv
