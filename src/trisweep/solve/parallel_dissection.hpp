#pragma once
// The top of a nested dissection by all ranks together: no rank has the graph.

#include <vector>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/grouped_rows.hpp"

namespace trisweep::solve {

// A binary tree in heap numbering (ordering::SeparatorTree), which need not be complete: a node that is
// divided is a separator, and its children are separators or subdomains.
struct TopOfDissection {
  std::vector<Index> node;       // by group of this rank
  std::vector<Index> place;      // by group of this rank: its place in the node
  std::vector<char> is_divided;  // by node; the same on every rank
};

// False in a library that was built without PT-SCOTCH.
bool has_parallel_dissection();

// The tree has at most `levels` levels of separators, and usually one subdomain for each rank. By PT-SCOTCH
// (Chevalier and Pellegrini, Parallel Computing 34, 2008). Collective. Throws Error(environment) on every
// rank when PT-SCOTCH fails on any, Error(input) in a library that was built without it.
TopOfDissection dissect_in_parallel(const mpi::Communicator& comm, const GroupedRows& rows, int levels,
                                    Index seed);

}  // namespace trisweep::solve
