#include "system.hpp"

#include <fmt/format.h>

#include <limits>
#include <random>

#include "trisweep/core/error.hpp"

namespace trisweep::cli {
namespace {

// What would become infinite, or zero, in single precision is an error here and not a puzzle later.
template <Scalar T, class Values>
void require_range(const char* what, const Values& values) {
  if constexpr (std::same_as<RealOf<T>, float>) {
    using Limits = std::numeric_limits<float>;
    double largest = 0;
    for (const auto& v : values) largest = std::max(largest, double(std::abs(v)));
    if (largest == 0 || (largest >= Limits::min() && largest <= Limits::max())) return;
    throw Error(ErrorKind::input,
                fmt::format("the largest entry of the {} is {:.1e}, out of the range of single precision",
                            what, largest),
                "use --precision double or mixed, or rescale the problem");
  }
}

}  // namespace

template <Scalar T>
matrix::Csr<T> take_matrix(matrix::AnyCsr&& any) {
  return std::visit(
      [](auto& a) -> matrix::Csr<T> {
        using From = std::decay_t<decltype(a.value.front())>;
        require_range<T>("matrix", a.value);
        if constexpr (std::same_as<From, T>) {
          return std::move(a);
        } else if constexpr (is_complex<T> || !is_complex<From>) {
          return matrix::convert<T>(a);
        } else {
          throw Error(ErrorKind::usage, "a complex matrix in a real solve");
        }
      },
      any);
}

template <Scalar T>
matrix::Dense<T> take_rhs(const matrix::AnyDense& any) {
  matrix::Dense<T> result;
  std::visit(
      [&](const auto& b) {
        require_range<T>("right-hand side", b.value);
        result.rows = b.rows;
        result.cols = b.cols;
        for (const auto& v : b.value) {
          if constexpr (is_complex<T>) {
            result.value.emplace_back(static_cast<RealOf<T>>(std::real(v)),
                                      static_cast<RealOf<T>>(std::imag(v)));
          } else {
            result.value.push_back(static_cast<T>(std::real(v)));
          }
        }
      },
      any);
  return result;
}

template <Scalar T>
matrix::Dense<T> made_up_rhs(const matrix::Csr<T>& a, Op op, Index nrhs) {
  matrix::Dense<T> b{.rows = a.rows(), .cols = nrhs, .value = {}};
  b.value.resize(usize(a.rows()) * usize(nrhs));
  std::mt19937_64 random(1);
  std::vector<T> x(usize(a.rows()));
  for (Index c = 0; c < nrhs; ++c) {
    for (T& v : x) v = static_cast<RealOf<T>>(1.0 + static_cast<double>(random() >> 11) * 0x1p-53);
    matrix::multiply<T>(a, op, x, {b.value.data() + usize(c) * usize(a.rows()), usize(a.rows())});
  }
  return b;
}

#define INSTANTIATE(T)                                         \
  template matrix::Csr<T> take_matrix(matrix::AnyCsr&&);       \
  template matrix::Dense<T> take_rhs(const matrix::AnyDense&); \
  template matrix::Dense<T> made_up_rhs(const matrix::Csr<T>&, Op, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
