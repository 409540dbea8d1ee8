#include "trisweep/sptrsv/algorithms.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace trisweep::sptrsv {
namespace {

// Below this work per thread, synchronization costs more than it saves.
constexpr Offset least_work = 1000;

}  // namespace

Assignment level_set(const matrix::Pattern& below, int threads) {
  const Levels levels = rows_by_level(shape_of(below));
  Assignment assignment(usize(threads));
  Index begin = 0;
  for (const Index end : levels.end) {
    Offset work = 0;
    for (Index i = begin; i < end; ++i) work += work_of(below, levels.row[usize(i)]);
    if (work < least_work * threads) {
      for (; begin < end; ++begin) assignment.front().row.push_back(levels.row[usize(begin)]);
      continue;
    }
    assignment.front().end_block();
    Offset done = 0;
    for (int t = 0; t < threads; ++t) {
      ThreadRows& mine = assignment[usize(t)];
      for (; begin < end && done < work * (t + 1) / threads; ++begin) {
        mine.row.push_back(levels.row[usize(begin)]);
        done += work_of(below, levels.row[usize(begin)]);
      }
      mine.end_block();
    }
  }
  assignment.front().end_block();
  return assignment;
}

}  // namespace trisweep::sptrsv
