#pragma once
#include <fmt/format.h>

#include <limits>

#include "trisweep/core/error.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::mpi {

// A number of elements, or an offset among them, as the int that MPI's vector collectives take. An element is
// a whole row (RowType), so that no number of bytes has to fit an int. Throws Error(environment) if the
// number of elements does not fit either.
inline int counted(Offset elements) {
  if (elements <= std::numeric_limits<int>::max()) return static_cast<int>(elements);
  throw Error(
      ErrorKind::environment,
      fmt::format("MPI counts {} elements at most, not {}", std::numeric_limits<int>::max(), elements),
      "use more ranks, or rows that are dealt out more evenly");
}

}  // namespace trisweep::mpi
