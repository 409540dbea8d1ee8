#include "trisweep/core/vectors.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "trisweep/core/error.hpp"

namespace trisweep {

template <Scalar T>
void require_fit(Vectors<const T> b, Vectors<const T> x, Index rows, bool on_devices) {
  const auto refuse = [&](const char* what, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{} {}", what, why),
                "pass this rank's rows of as many right-hand sides as solutions, one or more");
  };
  if (b.cols != x.cols)
    refuse("the call", fmt::format("has {} right-hand sides, but {} solutions", b.cols, x.cols));
  for (const auto& [what, v] : {std::pair("the right-hand side", b), std::pair("the solution", x)}) {
    if (v.cols < 1) refuse(what, fmt::format("has {} columns", v.cols));
    if (v.rows != rows) refuse(what, fmt::format("has {} rows where this rank has {}", v.rows, rows));
    if (v.ld < v.rows) refuse(what, fmt::format("has columns of {} rows every {}", v.rows, v.ld));
    if (v.data == nullptr && rows > 0) refuse(what, "is not there");
    if (v.space != MemorySpace::host && !on_devices)
      refuse(what, "is in a device's memory, and the host is to read it");
  }
}

template <Scalar T>
void require_apart(Vectors<const T> b, Vectors<const T> x, Index rows, bool on_devices) {
  require_fit(b, x, rows, on_devices);
  const auto end = [](const Vectors<const T>& v) { return v.column(v.cols - 1) + v.rows; };
  const std::less<const T*> before;
  if (before(b.data, end(x)) && before(x.data, end(b)))
    throw Error(ErrorKind::usage, "the right-hand side and the solution overlap",
                "pass a copy of the right-hand side: residuals need it");
}

#define INSTANTIATE(T)                                                        \
  template void require_fit(Vectors<const T>, Vectors<const T>, Index, bool); \
  template void require_apart(Vectors<const T>, Vectors<const T>, Index, bool);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep
