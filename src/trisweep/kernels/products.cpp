// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/kernels/products.hpp"

#include "trisweep/kernels/few_columns.hpp"
#include "trisweep/kernels/many_columns.hpp"
#include "trisweep/kernels/sparse_rows.hpp"
#include "trisweep/kernels/transpose.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {
namespace {

// Calls few(n) for n real right-hand sides, a constant, or many() where there are more than few_columns.
template <Scalar T, class Few, class Many>
TRISWEEP_INLINE void by_columns(const Product<T>& p, const Few& few, const Many& many) {
  if (p.panel.width == 0) return;
  switch (p.nrhs * parts<T>) {
    case 1:
      if constexpr (!is_complex<T>) return few(std::integral_constant<int, 1>());
      break;
    case 2:
      return few(std::integral_constant<int, 2>());
    case 3:
      if constexpr (!is_complex<T>) return few(std::integral_constant<int, 3>());
      break;
    case 4:
      return few(std::integral_constant<int, 4>());
    default:
      return many();
  }
}

template <Rows mode, Scalar T>
void multiply(const Product<T>& p) {
  by_columns(
      p, [&](auto n) __attribute__((always_inline)) { multiply_few<mode, n>(p); },
      [&]() __attribute__((always_inline)) { multiply_many<mode>(p); });
}

template <Scalar T>
void gather(const Product<T>& p) {
  by_columns(
      p, [&](auto n) __attribute__((always_inline)) { gather_few<n>(p); },
      [&]() __attribute__((always_inline)) { gather_many(p); });
}

template <Scalar T>
void load_line(const T* column, Offset ld, const LineRows<T>& rows) {
  load_blocks(column, ld, rows);
}

template <Scalar T>
void store_line(T* column, Offset ld, const LineRows<T>& rows) {
  store_blocks(column, ld, rows);
}

template <Scalar T>
void sparse(const SparseRows<T>& a, const T* x, T* product) {
  multiply_rows<static_cast<int>(sizeof(T))>(a, x, product);
}

template <Scalar T>
void sparse_bundle(const SparseRows<T>& a, const T* x, T* product) {
  multiply_rows<line_rows<T>* static_cast<int>(sizeof(T))>(a, x, product);
}

template <Scalar T>
void magnitudes(const SparseRows<T>& a, const T* x, T* product) {
  magnitudes_of_rows<static_cast<int>(sizeof(T))>(a, x, product);
}

template <Scalar T>
void magnitudes_bundle(const SparseRows<T>& a, const T* x, T* product) {
  magnitudes_of_rows<line_rows<T>* static_cast<int>(sizeof(T))>(a, x, product);
}

}  // namespace

template <Scalar T>
Products<T> products() {
  return {.scatter = multiply<Rows::subtract, T>,
          .gather = gather<T>,
          .multiply = multiply<Rows::assign, T>,
          .load = load_line<T>,
          .store = store_line<T>,
          .sparse = sparse<T>,
          .sparse_bundle = sparse_bundle<T>,
          .magnitudes = magnitudes<T>,
          .magnitudes_bundle = magnitudes_bundle<T>};
}

#define INSTANTIATE(T) template Products<T> products<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::kernels::TRISWEEP_ISA
