#include "modelled_products.hpp"

#include <utility>

#include "trisweep/kernels/panel_product.hpp"

namespace trisweep {
namespace {

model::Cost counted;

template <Scalar T>
void count(Index height, Index width, Index nrhs) {
  counted +=
      model::product_cost(height, width, {.nrhs = nrhs, .scalar_bytes = sizeof(T), .complex = is_complex<T>});
}

}  // namespace

namespace simgrid {

model::Cost take_counted() {
  return std::exchange(counted, {});
}

}  // namespace simgrid

namespace kernels {

template <Scalar T>
void scatter_product(const Panel<T>& panel, Index, const Work<T>& work) {
  count<T>(panel.end - panel.begin, panel.width, work.nrhs);
}

template <Scalar T>
void gather_product(const Panel<T>& panel, Index, const Work<T>& work) {
  count<T>(panel.end - panel.begin, panel.width, work.nrhs);
}

template <Scalar T>
void diagonal_product(Panel<T> inverse, Op, Index, const Work<T>& work) {
  count<T>(inverse.width, inverse.width, work.nrhs);
}

#define INSTANTIATE(T)                                                   \
  template void scatter_product(const Panel<T>&, Index, const Work<T>&); \
  template void gather_product(const Panel<T>&, Index, const Work<T>&);  \
  template void diagonal_product(Panel<T>, Op, Index, const Work<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace kernels
}  // namespace trisweep
