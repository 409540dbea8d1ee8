#include "system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include "trisweep/core/error.hpp"
#include "trisweep/core/finite.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::cli {
namespace {

Index rows_of(const matrix::AnyDense& b) {
  return std::visit([](const auto& dense) { return dense.rows; }, b);
}
Index rows_of(const matrix::AnyCsr& a) {
  return std::visit([](const auto& csr) { return csr.rows(); }, a);
}

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
                "use --precision double or mixed");
  }
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

// op(A) times random solutions with entries in [1, 2): every entry matters, and a singular system is
// consistent. Where the product overflows, entries are as much smaller as it takes.
template <Scalar T>
matrix::Dense<T> made_up_rhs(const matrix::Csr<T>& a, Op op, Index nrhs) {
  matrix::Dense<T> b{.rows = a.rows(), .cols = nrhs, .value = {}};
  b.value.resize(usize(a.rows()) * usize(nrhs));
  std::mt19937_64 random(1);
  std::vector<T> x(usize(a.rows()));
  for (Index c = 0; c < nrhs; ++c) {
    for (T& v : x) v = static_cast<RealOf<T>>(1.0 + static_cast<double>(random() >> 11) * 0x1p-53);
    const std::span<T> column(b.value.data() + usize(c) * usize(a.rows()), usize(a.rows()));
    matrix::multiply<T>(a, op, x, column);
    while (!std::ranges::all_of(column, is_finite<T>)) {
      for (T& v : x) v *= RealOf<T>(0x1p-8);
      matrix::multiply<T>(a, op, x, column);
    }
  }
  return b;
}

}  // namespace

void add_system_files(CLI::App& sub, SystemFiles& files) {
  sub.add_option("matrix", files.matrix,
                 "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped")
      ->required();
  auto* rhs =
      sub.add_option("--rhs", files.rhs, "Right-hand sides from a file (default: A times a random solution)");
  sub.add_option("--nrhs", files.nrhs, "Number of generated right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->excludes(rhs)
      ->capture_default_str();
  sub.add_option("-o,--output", files.output, "Write the solution to this file (Matrix Market array)");
  sub.add_option("--json", files.json, "Write the run record to this file (JSON)");
}

AnySystem read_system(const SystemFiles& files, Observer& observer) {
  AnySystem system{.a = matrix::read_matrix(files.matrix, observer), .b = std::nullopt};
  if (files.rhs.empty()) return system;
  system.b = matrix::read_dense(files.rhs);
  if (rows_of(*system.b) != rows_of(system.a)) {
    throw InputError(files.rhs, 0,
                     fmt::format("the right-hand side has {} rows, but {} has {}", rows_of(*system.b),
                                 files.matrix, rows_of(system.a)),
                     "give one row per row of the matrix");
  }
  return system;
}

bool is_complex_system(const AnySystem& system) {
  return std::holds_alternative<matrix::Csr<std::complex<double>>>(system.a) ||
         (system.b && std::holds_alternative<matrix::Dense<std::complex<double>>>(*system.b));
}

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
System<T> take_system(AnySystem&& read, Op op, Index nrhs) {
  System<T> system{.a = take_matrix<T>(std::move(read.a)), .b = {}};
  system.b = read.b ? take_rhs<T>(*read.b) : made_up_rhs(system.a, op, nrhs);
  return system;
}

#define INSTANTIATE(T)                                   \
  template matrix::Csr<T> take_matrix(matrix::AnyCsr&&); \
  template System<T> take_system(AnySystem&&, Op, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
