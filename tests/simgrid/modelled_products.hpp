#pragma once
// Products that are only counted: modelled_products.cpp stands in for kernels/panel_product.cpp.

#include "trisweep/model/cost.hpp"

namespace trisweep::simgrid {

// What the products since the last call amount to. All simulated ranks are one thread, and none of them is
// interrupted between the products of a task and the end of it: one counter serves all.
model::Cost take_counted();

// What they are with: said before the first.
void count_for(const model::Workload& job);

}  // namespace trisweep::simgrid
