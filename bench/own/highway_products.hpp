#pragma once
// The products of kernels/panel_product.hpp with double panels, written with Highway.

#include "trisweep/kernels/panel_product.hpp"

namespace own::highway {

// work(position[i], :) -= sum_j panel(i, j) work(source + j, :), with one right-hand side or many.
void scatter_product(const trisweep::kernels::Panel<double>& panel, trisweep::Index source,
                     const trisweep::kernels::Work<double>& work);

// work(target + j) -= sum_i panel(i, j) work(position[i]), with one right-hand side.
void gather_product(const trisweep::kernels::Panel<double>& panel, trisweep::Index target,
                    const trisweep::kernels::Work<double>& work);

}  // namespace own::highway
