// Replaces scotch.cpp in a library without SCOTCH.

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {

TreeVertices dissect_with_scotch(const Graph&, int, Index, Observer&) {
  throw Error(ErrorKind::input, "this build has no SCOTCH",
              "order with metis or amd instead, or build with -DTRISWEEP_SCOTCH=ON");
}

}  // namespace trisweep::ordering
