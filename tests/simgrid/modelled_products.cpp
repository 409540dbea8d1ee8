#include "modelled_products.hpp"

#include <utility>

#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/kernels/products.hpp"

namespace trisweep {
namespace {

model::Workload workload;
model::Cost counted;

void count(Index height, Index width) {
  counted += model::product_cost(height, width, workload);
}

}  // namespace

namespace simgrid {

void count_for(const model::Workload& job) {
  workload = job;
}

model::Cost take_counted() {
  return std::exchange(counted, {});
}

}  // namespace simgrid

namespace kernels {

template <Scalar T>
void scatter_product(const Panel<T>& panel, Index, const Work<T>&) {
  count(panel.end - panel.begin, panel.width);
}

template <Scalar T>
void gather_product(const Panel<T>& panel, Index, const Work<T>&) {
  count(panel.end - panel.begin, panel.width);
}

template <Scalar T>
void diagonal_product(Panel<T> inverse, Op, Index, const Work<T>&) {
  count(inverse.width, inverse.width);
}

// Panels have no numbers here, and are never those of a kernel.
template <class S, Scalar T>
const PanelKernels<T>& panel_kernels() {
  static const PanelKernels<T> none{};
  return none;
}

#define INSTANTIATE_STORAGE(S, T) template const PanelKernels<T>& panel_kernels<S, T>();
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)
#define INSTANTIATE(T)                                                   \
  template void scatter_product(const Panel<T>&, Index, const Work<T>&); \
  template void gather_product(const Panel<T>&, Index, const Work<T>&);  \
  template void diagonal_product(Panel<T>, Op, Index, const Work<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace kernels
}  // namespace trisweep
