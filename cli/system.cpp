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
#include "trisweep/mpi/rows.hpp"

namespace trisweep::cli {
namespace {

// Throws Error(input) if the largest entry overflows or underflows in single precision.
template <Scalar T>
void require_range(const char* what, double largest) {
  if constexpr (std::same_as<RealOf<T>, float>) {
    using Limits = std::numeric_limits<float>;
    if (largest == 0 || (largest >= Limits::min() && largest <= Limits::max())) return;
    throw Error(ErrorKind::input,
                fmt::format("the largest entry of the {} is {:.1e}, out of the range of single precision",
                            what, largest),
                "use --precision double or mixed");
  }
}

template <class Values>
double largest_of(const Values& values) {
  double largest = 0;
  for (const auto& v : values) largest = std::max(largest, double(std::abs(v)));
  return largest;
}

template <Scalar T>
matrix::Dense<T> converted(matrix::AnyDense&& any) {
  return std::visit(
      [&]<Scalar From>(matrix::Dense<From>& b) -> matrix::Dense<T> {
        require_range<T>("right-hand side", largest_of(b.value));
        if constexpr (std::same_as<From, T>) return std::move(b);
        matrix::Dense<T> result{b.rows, b.cols, {}};
        result.value.reserve(b.value.size());
        for (const From& v : b.value) {
          if constexpr (is_complex<T>) {
            result.value.emplace_back(static_cast<RealOf<T>>(std::real(v)),
                                      static_cast<RealOf<T>>(std::imag(v)));
          } else {
            result.value.push_back(static_cast<T>(std::real(v)));
          }
        }
        return result;
      },
      any);
}

template <Scalar T>
matrix::Csr<T> converted(matrix::AnyCsr&& any) {
  return std::visit(
      [](auto& a) -> matrix::Csr<T> {
        using From = std::decay_t<decltype(a.value.front())>;
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

// This rank's rows of op(A) x, for an x known on all ranks; `first`: number of its first row.
template <Scalar T>
std::vector<T> product(const mpi::Communicator& comm, const matrix::Csr<T>& a, Index first, Op op,
                       std::span<const T> x) {
  std::vector<T> result(usize(a.rows()));
  if (op == Op::none) {
    matrix::multiply<T>(a, op, x, result);
    return result;
  }
  std::vector<T> all(x.size());
  matrix::multiply<T>(a, op, x.subspan(usize(first), result.size()), all);
  std::vector<double> sums;  // real parts, then imaginary ones
  for (const T& v : all) sums.push_back(double(std::real(v)));
  if constexpr (is_complex<T>)
    for (const T& v : all) sums.push_back(double(std::imag(v)));
  comm.sum(sums);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t at = usize(first) + i;
    if constexpr (is_complex<T>) {
      result[i] = {static_cast<RealOf<T>>(sums[at]), static_cast<RealOf<T>>(sums[all.size() + at])};
    } else {
      result[i] = static_cast<T>(sums[at]);
    }
  }
  return result;
}

// op(A) times random solutions with entries in [1, 2): entries have similar size, and a singular system is
// consistent. If the product overflows, the solutions are scaled down.
template <Scalar T>
std::vector<T> made_up_rhs(const mpi::Communicator& comm, const matrix::Csr<T>& a, Op op, Index nrhs) {
  const Index first = distribution::even_partition(a.cols(), comm.size()).first(comm.rank());
  std::vector<T> b, x;
  mpi::agree_on_error(comm, [&] {
    b.reserve(usize(a.rows()) * usize(nrhs));
    x.resize(usize(a.cols()));
  });
  std::mt19937_64 random(1);
  for (Index c = 0; c < nrhs; ++c) {
    for (T& v : x) v = static_cast<RealOf<T>>(1.0 + static_cast<double>(random() >> 11) * 0x1p-53);
    std::vector<T> column = product<T>(comm, a, first, op, x);
    while (comm.max(Offset{!std::ranges::all_of(column, is_finite<T>)}) > 0) {
      for (T& v : x) v *= RealOf<T>(0x1p-8);
      column = product<T>(comm, a, first, op, x);
    }
    b.insert(b.end(), column.begin(), column.end());
  }
  return b;
}

bool are_equal(const solve::AnyBlockRows& a, const solve::AnyBlockRows& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&]<class Rows>(const Rows& rows) {
        const auto &first = rows.a, &second = std::get<Rows>(b).a;
        return first.pattern.row_ptr == second.pattern.row_ptr && first.pattern.col == second.pattern.col &&
               first.value == second.value;
      },
      a);
}

solve::AnyBlockRows read_matrix(const mpi::Communicator& comm, const SystemFiles& files, Observer& observer) {
  if (files.factors.empty()) return solve::read_rows(comm.handle(), files.matrix, observer);
  auto factored = load_factored_rows(comm, files.factors);
  if (files.matrix.empty()) return factored;
  const bool are_others = !are_equal(factored, solve::read_rows(comm.handle(), files.matrix, observer));
  if (comm.max(Offset{are_others}) > 0)
    throw mpi::CollectiveError(
        ErrorKind::usage,
        fmt::format("{} has the factors of another matrix than {}", files.factors, files.matrix),
        "leave the matrix out, or factor it with trisweep factor");
  return factored;
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
std::vector<Index> read_row_numbers(const std::string& file, Index rows) {
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

AnySystem read_system(const mpi::Communicator& comm, const SystemFiles& files, Observer& observer) {
  AnySystem system{.a = read_matrix(comm, files, observer), .b = std::nullopt, .rows = {}};
  const Index size = std::visit([](const auto& rows) { return rows.a.cols(); }, system.a);
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() != 0) return;
    if (!files.rows.empty()) system.rows = read_row_numbers(files.rows, size);
    if (files.rhs.empty()) return;
    system.b.emplace(files.rhs);
    if (system.b->rows() != size)
      throw InputError(files.rhs, 0,
                       fmt::format("the right-hand side has {} rows, but {} has {}", system.b->rows(),
                                   files.given(), size),
                       "give one row per row of the matrix");
  });
  system.complex = is_complex_matrix(system.a) || (system.b && system.b->is_complex());
  comm.broadcast(system.complex);
  mpi::agree_on_error(comm, [&] { matrix::require_scalar(system.complex); });
  return system;
}

template <Scalar T>
matrix::Csr<T> take_matrix(matrix::AnyCsr&& any) {
  require_range<T>("matrix", std::visit([](const auto& a) { return largest_of(a.value); }, any));
  return converted<T>(std::move(any));
}

template <Scalar T>
solve::BlockRows<T> take_rows(const mpi::Communicator& comm, solve::AnyBlockRows any) {
  auto local = std::visit([](auto& rows) { return matrix::AnyCsr(std::move(rows.a)); }, any);
  const double largest = comm.max(std::visit([](const auto& a) { return largest_of(a.value); }, local));
  return mpi::agree_on_error(comm, [&]() -> solve::BlockRows<T> {
    require_range<T>("matrix", largest);
    return {.a = converted<T>(std::move(local))};
  });
}

namespace {

// Right-hand sides of a file, as its header promises them, and as its size allows.
struct GivenRhs {
  Index cols = 0;
  Index plausible = 0;
};

// This rank's rows of the vectors in `file`, on rank 0, which reads one after the other.
template <Scalar T>
std::vector<T> read_rhs(const mpi::Communicator& comm, Index rows, const GivenRhs& given,
                        std::optional<matrix::DenseReader>& file) {
  distribution::RowPartition partition;
  std::vector<T> b;
  mpi::agree_on_error(comm, [&] {
    partition = distribution::even_partition(rows, comm.size());
    b.reserve(usize(partition.count(comm.rank())) * usize(given.plausible));
  });
  const auto own = usize(partition.count(comm.rank()));
  for (Index c = 0; c < given.cols; ++c) {
    const auto whole = mpi::agree_on_error(comm, [&] {
      b.resize(b.size() + own);
      return file ? converted<T>(file->column()) : matrix::Dense<T>();
    });
    mpi::scatter(comm, whole.value.data(), partition.begin, std::span(b).last(own));
  }
  return b;
}

}  // namespace

template <Scalar T>
System<T> take_system(const mpi::Communicator& comm, AnySystem&& read, Op op, Index nrhs) {
  System<T> system{
      .a = take_rows<T>(comm, std::move(read.a)), .b = {}, .nrhs = nrhs, .rows = std::move(read.rows)};
  system.nonzeros = static_cast<Offset>(comm.sum(static_cast<std::uint64_t>(system.a.a.nonzeros())));
  GivenRhs given;
  if (read.b) given = {read.b->cols(), read.b->plausible_cols()};
  comm.broadcast(given);
  if (given.cols == 0) {
    system.b = made_up_rhs(comm, system.a.a, op, nrhs);
  } else {
    system.nrhs = given.cols;
    system.b = read_rhs<T>(comm, system.size(), given, read.b);
  }
  return system;
}

template <Scalar T>
void write_vectors(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                   Vectors<const T> rows, std::optional<OutputFile>& file) {
  std::optional<matrix::DenseWriter<T>> writer;
  std::vector<T> whole;
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0) whole.resize(usize(partition.rows()));
    if (file) writer.emplace(*file, partition.rows(), rows.cols);
  });
  for (Index c = 0; c < rows.cols; ++c) {
    mpi::gather(comm, std::span(rows.column(c), usize(rows.rows)), partition.begin, whole.data());
    mpi::agree_on_error(comm, [&] {
      if (writer) writer->column(whole);
    });
  }
}

#define INSTANTIATE(T)                                                                                       \
  template matrix::Csr<T> take_matrix(matrix::AnyCsr&&);                                                     \
  template solve::BlockRows<T> take_rows(const mpi::Communicator&, solve::AnyBlockRows);                     \
  template void write_vectors(const mpi::Communicator&, const distribution::RowPartition&, Vectors<const T>, \
                              std::optional<OutputFile>&);                                                   \
  template System<T> take_system(const mpi::Communicator&, AnySystem&&, Op, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
