#include "trisweep/lowrank/gram_schmidt.hpp"
#include "trisweep/lowrank/panel_products.hpp"

namespace trisweep::lowrank {

template <Scalar T>
const PanelProducts<T>& panel_products() {
  static const PanelProducts<T> best = TRISWEEP_BEST_ISA(products_of_panels<T>)();
  return best;
}

template <Scalar T>
GramSchmidt<T> gram_schmidt() {
  static const GramSchmidt<T> best = TRISWEEP_BEST_ISA(gram_schmidt_of_isa<T>)();
  return best;
}

#define INSTANTIATE(T)                               \
  template const PanelProducts<T>& panel_products(); \
  template GramSchmidt<T> gram_schmidt();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::lowrank
