#include "trisweep/compression/panel_products.hpp"

namespace trisweep::compression {

template <Scalar T>
const PanelProducts<T>& panel_products() {
  static const PanelProducts<T> best = TRISWEEP_BEST_ISA(products_of_panels<T>)();
  return best;
}

#define INSTANTIATE(T) template const PanelProducts<T>& panel_products();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression
