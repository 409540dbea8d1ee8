#pragma once
// A symmetric pattern that is distributed by rows, of groups of a matrix's rows: what all ranks dissect.

#include <span>
#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

struct GroupedRows {
  distribution::RowPartition partition;  // of groups
  matrix::Pattern pattern;               // this rank's groups; its columns are groups. With a full diagonal
  // The rows of each group, the same on every rank.
  std::vector<Index> member_ptr;  // groups + 1
  std::vector<Index> member;

  Index groups() const { return partition.rows(); }
  Index rows() const { return static_cast<Index>(member.size()); }
  std::span<const Index> members(Index group) const {
    return {member.data() + member_ptr[usize(group)], member.data() + member_ptr[usize(group) + 1]};
  }
};

// Each row of a symmetric pattern with a full diagonal is a group.
GroupedRows single_rows(matrix::Pattern rows, const distribution::RowPartition& partition);

// Unites groups to those that `new_group` tells for each, numbered from 0 on, and distributes them evenly.
// Of new groups without entries in `rows.pattern`, only the diagonal is filled. Collective.
GroupedRows united(const mpi::Communicator& comm, const GroupedRows& rows,
                   const std::vector<Index>& new_group);

// Unites groups with the same neighbours, as ordering::compress() does on one rank, if that makes clearly
// fewer, but enough for all ranks. Collective.
GroupedRows with_identical_united(const mpi::Communicator& comm, GroupedRows rows);

}  // namespace trisweep::solve
