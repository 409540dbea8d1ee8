#pragma once
// Who computes which rows, in which order: all that the algorithms differ in. Each is a function from the
// dependencies to an assignment, in a file of its own; schedule.hpp makes from any of them what threads run.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

// The rows of one thread in its order, cut into blocks. A thread waits for others before a block only, and
// tells them after each.
struct ThreadRows {
  std::vector<Index> row;
  std::vector<Index> block_end;  // into row

  // What has been added since the last block is one.
  void end_block() {
    const auto end = static_cast<Index>(row.size());
    if (end > (block_end.empty() ? 0 : block_end.back())) block_end.push_back(end);
  }
};

// By thread. There is an order of all blocks in which every row comes after those that it needs and every
// thread's blocks in the thread's order: so no thread waits for ever.
using Assignment = std::vector<ThreadRows>;

// `below`: strictly lower triangular.
using AlgorithmFunction = Assignment(const matrix::Pattern& below, int threads);

// One thread, in the order of the rows: nothing to wait for, and memory is read in order.
AlgorithmFunction sequential;

// Rows of a level of the dependency graph need none of the same level: threads share each level, in parts of
// about as many entries (Anderson and Saad 1989). Levels too small for that are one thread's, as many as
// follow each other together.
AlgorithmFunction level_set;

// Blocks of consecutive rows are dealt out in turn; each waits for just what it needs, with no level or
// barrier in between (Liu, Li, Hogg, Duff, Vinter 2016, for GPUs).
AlgorithmFunction sync_free;

// Each thread grows a region of rows that need nothing that another one computes in the same step, down as
// many levels as it can; steps follow each other. Few waits, and rows that need each other lie together
// (Boehnlein, Papp, Steiner, Matzoros, Yzelman 2025: GrowLocal).
AlgorithmFunction regions;

struct NamedAlgorithm {
  std::string_view name;
  std::string_view description;
  AlgorithmFunction* assign;
};
std::span<const NamedAlgorithm> algorithms();
// Throws Error(usage), listing the names.
const NamedAlgorithm& find_algorithm(std::string_view name);

// What computing a row costs in units of a matrix entry: its own numbers count as some.
inline Offset work_of(const matrix::Pattern& below, Index row) {
  constexpr Offset of_the_row_itself = 4;
  return below.row_ptr[usize(row) + 1] - below.row_ptr[usize(row)] + of_the_row_itself;
}

}  // namespace trisweep::sptrsv
