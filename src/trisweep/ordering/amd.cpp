#include <amd.h>

#include <array>
#include <numeric>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {

MinimumDegree order_with_amd(const Graph& graph) {
  static_assert(sizeof(int) == sizeof(Index));
  MinimumDegree result;
  result.order.resize(usize(graph.vertices()));
  std::iota(result.order.begin(), result.order.end(), 0);
  if (graph.edges() == 0) return result;
  std::array<double, AMD_CONTROL> control{};
  std::array<double, AMD_INFO> info{};
  amd_defaults(control.data());
  const int status = amd_order(graph.vertices(), graph.ptr.data(), graph.adjacent.data(), result.order.data(),
                               control.data(), info.data());
  if (status < AMD_OK) {
    throw Error(ErrorKind::environment, "AMD ran out of memory while ordering",
                "try METIS or the natural order instead");
  }
  result.flops = 2 * info[AMD_NMULTSUBS_LDL];
  return result;
}

}  // namespace trisweep::ordering
