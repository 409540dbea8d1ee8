#pragma once
// Every way to launch products of small panels.

#include "studies/himv/launch_plan.hpp"

namespace trisweep::testing_support {

using namespace studies;

inline std::vector<GemvOptions> every_choice() {
  std::vector<GemvOptions> all{{.merged = true}};
  for (const auto& order : gemv_orders())
    for (const auto& cut : gemv_cuts())
      for (const bool padded : {false, true})
        for (const auto& sum : gemv_sums())
          if (!padded || sum.choice == GemvSum::atomic)
            all.push_back({.order = order.choice,
                           .cut = cut.choice,
                           .count = 4,
                           .streams = 2,
                           .padded = padded,
                           .sum = sum.choice});
  return all;
}

}  // namespace trisweep::testing_support
