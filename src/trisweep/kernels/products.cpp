// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/kernels/products.hpp"

#include "trisweep/kernels/few_columns.hpp"
#include "trisweep/kernels/many_columns.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {
namespace {

template <Scalar T>
void scatter(const Product<T>& p) {
  if (p.panel.width == 0) return;
  switch (p.nrhs * parts<T>) {
    case 1:
      if constexpr (!is_complex<T>) return scatter_few<1>(p);
      break;
    case 2:
      return scatter_few<2>(p);
    case 3:
      if constexpr (!is_complex<T>) return scatter_few<3>(p);
      break;
    case 4:
      return scatter_few<4>(p);
    default:
      return scatter_many(p);
  }
}

template <Scalar T>
void gather(const Product<T>& p) {
  if (p.panel.width == 0) return;
  switch (p.nrhs * parts<T>) {
    case 1:
      if constexpr (!is_complex<T>) return gather_few<1>(p);
      break;
    case 2:
      return gather_few<2>(p);
    case 3:
      if constexpr (!is_complex<T>) return gather_few<3>(p);
      break;
    case 4:
      return gather_few<4>(p);
    default:
      return gather_many(p);
  }
}

}  // namespace

template <Scalar T>
Products<T> products() {
  return {scatter<T>, gather<T>};
}

#define INSTANTIATE(T) template Products<T> products<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::kernels::TRISWEEP_ISA
