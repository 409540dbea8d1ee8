#pragma once
#include <fmt/format.h>

#include <limits>

#include "trisweep/core/error.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::mpi {

// A number of elements, or a place among them, as MPI's calls on vectors take it. Elements are of a type as
// large as a row (RowType), so that no number of bytes has to fit. Throws Error(environment) where even these
// do not.
inline int counted(Offset elements) {
  if (elements <= std::numeric_limits<int>::max()) return static_cast<int>(elements);
  throw Error(
      ErrorKind::environment,
      fmt::format("MPI counts {} elements at most, not {}", std::numeric_limits<int>::max(), elements),
      "use more ranks, or rows that are dealt out more evenly");
}

}  // namespace trisweep::mpi
