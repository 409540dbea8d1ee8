// Replaces parallel_dissection.cpp in a library without PT-SCOTCH.

#include "trisweep/solve/parallel_dissection.hpp"

namespace trisweep::solve {

bool has_parallel_dissection() {
  return false;
}

TopOfDissection dissect_in_parallel(const mpi::Communicator&, const GroupedRows&, int, Index) {
  throw mpi::CollectiveError(ErrorKind::input, "this build has no PT-SCOTCH",
                             "order with metis or amd instead, or build with -DTRISWEEP_SCOTCH=ON");
}

}  // namespace trisweep::solve
