// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/kernels/products.hpp"

#include "trisweep/kernels/few_columns.hpp"
#include "trisweep/kernels/many_columns.hpp"
#include "trisweep/kernels/transpose.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {
namespace {

template <Rows mode, Scalar T>
void multiply(const Product<T>& p) {
  if (p.panel.width == 0) return;
  switch (p.nrhs * parts<T>) {
    case 1:
      if constexpr (!is_complex<T>) return multiply_few<mode, 1>(p);
      break;
    case 2:
      return multiply_few<mode, 2>(p);
    case 3:
      if constexpr (!is_complex<T>) return multiply_few<mode, 3>(p);
      break;
    case 4:
      return multiply_few<mode, 4>(p);
    default:
      return multiply_many<mode>(p);
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

template <Scalar T>
void load_line(const T* column, Offset ld, const LineRows<T>& rows) {
  load_blocks(column, ld, rows);
}

template <Scalar T>
void store_line(T* column, Offset ld, const LineRows<T>& rows) {
  store_blocks(column, ld, rows);
}

}  // namespace

template <Scalar T>
Products<T> products() {
  return {multiply<Rows::subtract, T>, gather<T>, multiply<Rows::assign, T>, load_line<T>, store_line<T>};
}

#define INSTANTIATE(T) template Products<T> products<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::kernels::TRISWEEP_ISA
