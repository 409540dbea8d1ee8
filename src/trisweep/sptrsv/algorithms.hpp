#pragma once
// Algorithms differ only in the assignment of rows to threads, and in their order. Each is a function from
// the dependencies to an assignment, in its own file; row_schedule.hpp turns it into a schedule.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

// The rows of one thread in its order, cut into blocks. A thread waits for others only before a block, and
// signals them after each.
struct ThreadRows {
  std::vector<Index> row;
  std::vector<Index> block_end;  // end of each block in `row`

  // Ends a block with the rows added since the last one.
  void end_block() {
    const auto end = static_cast<Index>(row.size());
    if (end > (block_end.empty() ? 0 : block_end.back())) block_end.push_back(end);
  }
};

// By thread. There is an order of all blocks that respects the dependencies of rows and each thread's order,
// so there is no deadlock.
using Assignment = std::vector<ThreadRows>;

// `below`: strictly lower triangular.
using AlgorithmFunction = Assignment(const matrix::Pattern& below, int threads);

// One thread, rows in order: no waits, and memory is read in order.
AlgorithmFunction sequential;

// Rows of a level of the dependency graph are independent: threads share each level, in parts of about equal
// numbers of entries (Anderson and Saad 1989). Levels too small for that are computed by one thread;
// successive small levels are merged.
AlgorithmFunction level_set;

// Blocks of consecutive rows are assigned to threads in turn; each waits only for its dependencies, without
// levels or barriers (Liu, Li, Hogg, Duff, Vinter 2016, for GPUs).
AlgorithmFunction sync_free;

// In each step, every thread grows a region of rows that do not depend on rows of other threads in the same
// step, over as many levels as possible. Few waits, and dependent rows are close in memory (Boehnlein, Papp,
// Steiner, Matzoros, Yzelman 2025: GrowLocal).
AlgorithmFunction regions;

struct NamedAlgorithm {
  std::string_view name;
  std::string_view description;
  AlgorithmFunction* assign;
};
std::span<const NamedAlgorithm> algorithms();
// Throws Error(usage), listing the names, if there is none.
const NamedAlgorithm& find_algorithm(std::string_view name);

// Cost of computing a row, in units of a matrix entry; right-hand side, diagonal and unknown count as some.
inline Offset work_of(const matrix::Pattern& below, Index row) {
  constexpr Offset of_the_row_itself = 4;
  return below.row_ptr[usize(row) + 1] - below.row_ptr[usize(row)] + of_the_row_itself;
}

}  // namespace trisweep::sptrsv
