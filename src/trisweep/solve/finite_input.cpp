#include "trisweep/solve/finite_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/core/finite.hpp"

namespace trisweep::solve {

template <Scalar T>
void require_finite(const mpi::Communicator& comm, Vectors<const T> b, const RowNumbers& rows) {
  mpi::agree_on_error(comm, [&] {
    for (Index c = 0; c < b.cols; ++c) {
      const T* const column = b.column(c);
      const T* const end = column + b.rows;
      const T* const found = std::find_if(column, end, [](const T& v) { return !is_finite(v); });
      if (found == end) continue;
      throw Error(ErrorKind::input,
                  fmt::format("the right-hand side is not finite in row {}, column {} (counting from 0)",
                              rows(static_cast<Index>(found - column)), c),
                  "look for a division by zero or an overflow where it is made");
    }
  });
}

#define INSTANTIATE(T) \
  template void require_finite(const mpi::Communicator&, Vectors<const T>, const RowNumbers&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
