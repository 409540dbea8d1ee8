#include "trisweep/model/all_reduce.hpp"

#include <cmath>

namespace trisweep::model {

double all_reduce_seconds(const Machine& machine, Index nodes, Index ranks_of_node, double bytes) {
  const auto steps = [](Index count) { return std::ceil(std::log2(double(count))); };
  const auto step = [&](const Link& link) {
    return link.latency + link.send_overhead + link.receive_overhead + bytes / link.bandwidth;
  };
  return steps(ranks_of_node) * step(machine.two_sided.inside) +
         steps(nodes) * step(machine.two_sided.between);
}

}  // namespace trisweep::model
