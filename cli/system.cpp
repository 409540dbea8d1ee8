#include "system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include "saved_factors.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/finite.hpp"
#include "trisweep/matrix/byte_reader.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/matrix/matrix_market_header.hpp"
#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::cli {
namespace {

Index rows_of(const matrix::AnyDense& b) {
  return std::visit([](const auto& dense) { return dense.rows; }, b);
}
Index rows_of(const matrix::AnyCsr& a) {
  return std::visit([](const auto& csr) { return csr.rows(); }, a);
}

// Throws Error(input) if the largest entry overflows or underflows in single precision.
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

// op(A) times random solutions with entries in [1, 2): entries have similar size, and a singular system is
// consistent. If the product overflows, the solutions are scaled down.
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

bool are_equal(const matrix::AnyCsr& a, const matrix::AnyCsr& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&]<class Csr>(const Csr& first) {
        const Csr& second = std::get<Csr>(b);
        return first.pattern.row_ptr == second.pattern.row_ptr && first.pattern.col == second.pattern.col &&
               first.value == second.value;
      },
      a);
}

matrix::AnyCsr read_matrix(const SystemFiles& files, Observer& observer) {
  if (files.factors.empty()) return matrix::read_matrix(files.matrix, observer);
  matrix::AnyCsr a = load_factored_matrix(files.factors);
  if (!files.matrix.empty() && !are_equal(a, matrix::read_matrix(files.matrix, observer)))
    throw Error(ErrorKind::usage,
                fmt::format("{} has the factors of another matrix than {}", files.factors, files.matrix),
                "leave the matrix out, or factor it with trisweep factor");
  return a;
}

}  // namespace

void add_system_files(CLI::App& sub, SystemFiles& files) {
  sub.add_option("matrix", files.matrix, matrix_formats)->required();
  auto* rhs =
      sub.add_option("--rhs", files.rhs, "Right-hand sides from a file (default: A times a random solution)");
  sub.add_option("--nrhs", files.nrhs, "Number of generated right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->excludes(rhs)
      ->capture_default_str();
  sub.add_option("-o,--output", files.output, "Write the solution to this file (Matrix Market array)");
  sub.add_option("--json", files.json, "Write the run record to this file (JSON)");
}

namespace {

// Reads one row number per line, counted from 1, as in Matrix Market.
std::vector<Index> read_rows(const std::string& file, Index rows) {
  matrix::ByteReader source(file, silent_observer());
  matrix::LineReader lines(source);
  std::vector<Index> list;
  std::string_view line;
  while (matrix::next_content_line(lines, line)) {
    matrix::Words words(line);
    std::int64_t row = 0;
    const bool whole = matrix::parse_integer(words.next(), row) == matrix::NumberDefect::none;
    if (!whole || row < 1 || row > rows || !words.next().empty())
      throw lines.error(fmt::format("expected the number of a row of the solution, from 1 to {}, found {}",
                                    rows, matrix::in_quotes(matrix::trimmed(line))),
                        "write one number in each line");
    list.push_back(static_cast<Index>(row - 1));
  }
  if (list.empty())
    throw InputError(file, 0, "there is no row in the file",
                     "write the number of a row in each line, from 1");
  return list;
}

}  // namespace

AnySystem read_system(const SystemFiles& files, Observer& observer) {
  AnySystem system{.a = read_matrix(files, observer), .b = std::nullopt, .rows = {}};
  if (!files.rows.empty()) system.rows = read_rows(files.rows, rows_of(system.a));
  if (files.rhs.empty()) return system;
  system.b = matrix::read_dense(files.rhs);
  if (rows_of(*system.b) != rows_of(system.a)) {
    throw InputError(files.rhs, 0,
                     fmt::format("the right-hand side has {} rows, but {} has {}", rows_of(*system.b),
                                 files.given(), rows_of(system.a)),
                     "give one row per row of the matrix");
  }
  return system;
}

bool is_complex_system(const AnySystem& system) {
  return matrix::is_complex_matrix(system.a) ||
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
  System<T> system{.a = take_matrix<T>(std::move(read.a)), .b = {}, .rows = std::move(read.rows)};
  system.b = read.b ? take_rhs<T>(*read.b) : made_up_rhs(system.a, op, nrhs);
  return system;
}

#define INSTANTIATE(T)                                   \
  template matrix::Csr<T> take_matrix(matrix::AnyCsr&&); \
  template System<T> take_system(AnySystem&&, Op, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
