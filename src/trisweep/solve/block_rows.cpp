#include "trisweep/solve/block_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <numeric>
#include <span>

#include "trisweep/core/finite.hpp"
#include "trisweep/core/row_numbers.hpp"
#include "trisweep/krylov/block_rows.hpp"
#include "trisweep/solve/range.hpp"

namespace trisweep::solve {
namespace {

void require(bool holds, ErrorKind kind, const std::string& text, const char* remedy) {
  if (!holds) throw Error(kind, text, remedy);
}

// The same with a text that is formatted only on error, for checks of single rows or entries.
template <std::invocable Text>
void require(bool holds, ErrorKind kind, const Text& text, const char* remedy) {
  if (!holds) throw Error(kind, text(), remedy);
}

// The checks of one rank by itself. `n`: number of rows on all ranks, `first`: on the ranks before this one.
template <Scalar T>
void check_rows(const BlockRows<T>& rows, Offset n, Index first) {
  const matrix::Pattern& p = rows.a.pattern;
  require(n <= std::numeric_limits<Index>::max(), ErrorKind::usage,
          fmt::format("{} rows are more than an Index counts", n), "solve a smaller system");
  require_square(n, p.rows == 0 ? n : p.cols);
  const RowNumbers number{rows.number, first};
  matrix::require_consistent(rows.a, number);
  if (is_within_range<T>(rows.a.value)) return;
  for (Index i = 0; i < p.rows; ++i) {
    for (const Offset at : p.entries(i)) {
      require(
          is_finite(rows.a.value[usize(at)]), ErrorKind::input,
          [&] {
            return fmt::format("the entry in row {}, column {} (counting from 0) is not finite", number(i),
                               p.col[usize(at)]);
          },
          "look for a division by zero or an overflow where the matrix is made");
    }
  }
}

// Returns for each row number of the whole matrix its place in rank order.
std::vector<Index> places(const std::vector<std::vector<Index>>& listed, Index n) {
  std::vector<Index> place(usize(n), -1);
  Index next = 0;
  for (const auto& numbers : listed) {
    for (const Index i : numbers) {
      require(
          i >= 0 && i < n && place[usize(i)] < 0, ErrorKind::usage,
          [&] { return fmt::format("row {} is listed twice, or is none of {} rows", i, n); },
          "list every row of the matrix once, on one rank");
      place[usize(i)] = next++;
    }
  }
  return place;
}

// Renumbers columns by their places, and sorts each row again.
template <Scalar T>
void renumber(const std::vector<Index>& place, ConsecutiveRows<T>& rows) {
  const matrix::Csr<T> before = rows.a;
  auto& [a, partition, entry, number] = rows;
  entry.resize(a.value.size());
  std::iota(entry.begin(), entry.end(), Offset{0});
  for (Index i = 0; i < a.rows(); ++i) {
    const auto at = [&](Index row) { return entry.begin() + a.pattern.row_ptr[usize(row)]; };
    std::sort(at(i), at(i + 1), [&](Offset l, Offset r) {
      return place[usize(before.pattern.col[usize(l)])] < place[usize(before.pattern.col[usize(r)])];
    });
  }
  for (std::size_t e = 0; e < entry.size(); ++e) {
    a.pattern.col[e] = place[usize(before.pattern.col[usize(entry[e])])];
    a.value[e] = before.value[usize(entry[e])];
  }
}

}  // namespace

void require_square(Offset rows, Offset cols) {
  require(rows == cols, ErrorKind::input, fmt::format("the matrix is {} x {}, not square", rows, cols),
          "a linear system needs as many equations as unknowns");
  require(rows > 0, ErrorKind::input, "the matrix is empty (0 x 0)", "give a matrix with at least one row");
}

template <Scalar T>
BlockRows<T> dealt_out(MPI_Comm comm, matrix::Csr<T> a) {
  const mpi::Communicator world(comm);
  mpi::agree_on_error(world, [&] {
    if (world.rank() == 0) require_square(a.rows(), a.cols());
  });
  if (world.size() == 1) return {.a = std::move(a)};
  Index rows = a.rows();
  world.broadcast(rows);
  return {.a = krylov::deal_out(world, world.rank() == 0 ? &a : nullptr,
                                distribution::even_partition(rows, world.size()))};
}

template <Scalar T>
ConsecutiveRows<T> consecutive(const mpi::Communicator& comm, BlockRows<T> rows) {
  const auto counts = [&] {
    auto list = comm.gather(rows.a.rows());
    comm.broadcast(list);
    return list;
  }();
  const Offset n = std::accumulate(counts.begin(), counts.end(), Offset{0});
  const bool lists = comm.max(Offset{rows.number.empty() ? 0 : 1}) > 0;
  const Offset first = std::accumulate(counts.begin(), counts.begin() + comm.rank(), Offset{0});
  mpi::agree_on_error(comm, [&] {
    require(!lists || std::ssize(rows.number) == rows.a.rows(), ErrorKind::usage,
            fmt::format("{} row numbers for {} rows", rows.number.size(), rows.a.rows()),
            "number every row, or none on any rank");
    check_rows(rows, n, static_cast<Index>(first));
  });
  ConsecutiveRows<T> result{
      .a = std::move(rows.a), .partition = {{0}}, .entry = {}, .number = std::move(rows.number)};
  for (const Index count : counts) result.partition.begin.push_back(result.partition.begin.back() + count);
  result.a.pattern.cols = static_cast<Index>(n);
  if (!lists) return result;
  auto listed = comm.gather(result.number);
  std::vector<Index> place;
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() > 0) return;
    place = places(listed, static_cast<Index>(n));
    for (const auto& others : std::span(listed).subspan(1))
      result.number.insert(result.number.end(), others.begin(), others.end());
  });
  comm.broadcast(place);
  mpi::agree_on_error(comm, [&] { renumber(place, result); });
  return result;
}

#define INSTANTIATE(T)                                       \
  template BlockRows<T> dealt_out(MPI_Comm, matrix::Csr<T>); \
  template ConsecutiveRows<T> consecutive(const mpi::Communicator&, BlockRows<T>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
