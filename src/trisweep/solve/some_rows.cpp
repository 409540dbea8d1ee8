#include "trisweep/solve/some_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "trisweep/core/finite.hpp"

namespace trisweep::solve {
namespace {

// Columns per group: enough that reading a panel takes no longer than multiplying by it, few enough that the
// group reaches few more supernodes than each column.
constexpr Index group_columns = 16;

// The columns of a group as dense vectors; entries of b are set for one group and cleared again.
template <Scalar T>
class DenseGroup {
 public:
  explicit DenseGroup(Index rows) : rows_(rows), b_(usize(rows) * usize(group_columns)), x_(b_.size()) {}

  void set(const SparseColumns<T>& b, std::span<const Index> columns) {
    columns_ = static_cast<Index>(columns.size());
    touched_.clear();
    for (Index c = 0; c < columns_; ++c) {
      const Index of = columns[usize(c)];
      for (auto k = usize(b.ptr[usize(of)]); k < usize(b.ptr[usize(of) + 1]); ++k) {
        b_[at(b.row[k], c)] += b.value[k];
        touched_.push_back(b.row[k]);
      }
    }
  }
  void clear() {
    for (const Index row : touched_)
      for (Index c = 0; c < columns_; ++c) b_[at(row, c)] = T{};
  }
  void pick(const SomeRows<T>& wanted, std::span<const Index> columns) const {
    for (Index c = 0; c < columns_; ++c)
      for (std::size_t i = 0; i < wanted.rows.size(); ++i)
        wanted.x.column(columns[usize(c)])[i] = x_[at(wanted.rows[i], c)];
  }

  std::span<const Index> touched() const { return touched_; }
  Vectors<const T> b() const { return {b_.data(), rows_, columns_}; }
  Vectors<T> x() { return {x_.data(), rows_, columns_}; }

 private:
  std::size_t at(Index row, Index c) const { return usize(c) * usize(rows_) + usize(row); }

  Index rows_;
  Index columns_ = 0;
  std::vector<T> b_, x_;
  std::vector<Index> touched_;
};

// Calls work(group, columns) for `columns` in groups, with b set. Throws on all ranks when any runs out of
// memory.
template <Scalar T, class Work>
void for_each_group(const mpi::Communicator& comm, Index local_rows, const SomeRows<T>& wanted,
                    std::span<const Index> columns, const Work& work) {
  auto group = mpi::agree_on_error(comm, [&] { return DenseGroup<T>(local_rows); });
  for (std::size_t first = 0; first < columns.size(); first += group_columns) {
    const auto some = columns.subspan(first, std::min<std::size_t>(group_columns, columns.size() - first));
    mpi::agree_on_error(comm, [&] { group.set(wanted.b, some); });
    work(group, some);
    group.pick(wanted, some);
    group.clear();
  }
}

// Returns all columns sorted by the position of their first nonzero in the elimination order, so that
// neighbours share most of their path to the root.
template <Scalar T>
std::vector<Index> by_first_nonzero(const TriangularSolver<T>& solver, Op op, const SparseColumns<T>& b) {
  std::vector<Index> columns;
  std::vector<double> first;
  mpi::agree_on_error(solver.comm(), [&] {
    for (Index c = 0; c < b.cols(); ++c) {
      columns.push_back(c);
      // Negated, because the reduction over ranks is a maximum.
      double last = -double(solver.structure().n);
      for (auto k = usize(b.ptr[usize(c)]); k < usize(b.ptr[usize(c) + 1]); ++k)
        last = std::max(last, -double(solver.position_of_equation(op, b.row[k])));
      first.push_back(last);
    }
  });
  solver.comm().max(first);
  std::ranges::stable_sort(columns, std::greater{}, [&](Index c) { return first[usize(c)]; });
  return columns;
}

}  // namespace

template <Scalar T>
void require_fit(const SomeRows<T>& wanted, Index local_rows, const RowNumbers& numbers) {
  const auto& [b, rows, x] = wanted;
  const auto is_row = [&](Index row) { return 0 <= row && row < local_rows; };
  const bool b_fits = !b.ptr.empty() && b.ptr.front() == 0 && std::ranges::is_sorted(b.ptr) &&
                      usize(b.ptr.back()) == b.row.size() && b.row.size() == b.value.size();
  if (!b_fits || !std::ranges::all_of(b.row, is_row))
    throw Error(ErrorKind::usage, fmt::format("the sparse right-hand sides are not of {} rows", local_rows));
  if (const auto bad = std::ranges::find_if_not(b.value, is_finite<T>); bad != b.value.end()) {
    const Offset at = bad - b.value.begin();
    throw Error(
        ErrorKind::input,
        fmt::format("the right-hand side is not finite in row {}, column {} (counting from 0)",
                    numbers(b.row[usize(at)]), std::ranges::upper_bound(b.ptr, at) - b.ptr.begin() - 1),
        "look for a division by zero or an overflow where it is made");
  }
  if (!std::ranges::all_of(rows, is_row))
    throw Error(ErrorKind::usage,
                fmt::format("requested rows are not all of the {} of this rank", local_rows));
  if (x.rows != std::ssize(rows) || x.cols != b.cols() || x.space != MemorySpace::host)
    throw Error(ErrorKind::usage, fmt::format("x is to have {} rows and {} columns, in the host's memory",
                                              rows.size(), b.cols()));
}

template <Scalar T>
PrunedSweeps sweep_rows(TriangularSolver<T>& solver, Op op, const SomeRows<T>& wanted,
                        const std::function<Vectors<const T>(Vectors<const T>)>& in_range) {
  const Index local_rows = solver.partition().count(solver.comm().rank());
  const std::vector<Index> columns = by_first_nonzero(solver, op, wanted.b);
  const plan::SupernodeSet backward = solver.reach_of_unknowns(op, wanted.rows);
  PrunedSweeps done;
  for_each_group<T>(
      solver.comm(), local_rows, wanted, columns, [&](DenseGroup<T>& group, std::span<const Index> some) {
        const plan::Pruning pruning{solver.reach_of_equations(op, group.touched()), backward};
        solver.solve(op, pruning, {.b = in_range(group.b()), .x = group.x()});
        done.panel_share += solver.pruned_share() * double(some.size()) / double(columns.size());
        done.profile += solver.last();
      });
  double overflows = 0;
  for (Index c = 0; c < wanted.x.cols; ++c)
    if (!std::ranges::all_of(std::span(wanted.x.column(c), wanted.rows.size()), is_finite<T>)) overflows = 1;
  done.is_finite = solver.comm().max(overflows) == 0;
  return done;
}

namespace {

// Compares answers of two groups; in between the matrix may have been factored again with another verdict.
bool is_worse(const Answer& answer, const Answer& than) {
  if (answer.solved() != than.solved()) return than.solved();
  return !(answer.error.arioli_demmel_duff <= than.error.arioli_demmel_duff);
}

}  // namespace

template <Scalar T>
Answer solve_and_pick(const mpi::Communicator& comm, Index local_rows, const SomeRows<T>& wanted,
                      const std::function<Answer(Vectors<const T>, Vectors<T>)>& solve) {
  std::vector<Index> columns(usize(wanted.b.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  std::optional<Answer> worst;
  std::vector<ColumnError> errors;
  for_each_group<T>(comm, local_rows, wanted, columns,
                    [&](DenseGroup<T>& group, std::span<const Index> some) {
                      const Answer answer = solve(group.b(), group.x());
                      errors.insert(errors.end(), answer.columns.begin(), answer.columns.end());
                      if (worst && !is_worse(answer, *worst)) return;
                      worst = answer;
                      worst->worst = some.front() + answer.worst;
                    });
  Answer answer = worst.value_or(Answer{});
  answer.columns = std::move(errors);
  return answer;
}

#define INSTANTIATE(T)                                                                        \
  template void require_fit(const SomeRows<T>&, Index, const RowNumbers&);                    \
  template PrunedSweeps sweep_rows(TriangularSolver<T>&, Op, const SomeRows<T>&,              \
                                   const std::function<Vectors<const T>(Vectors<const T>)>&); \
  template Answer solve_and_pick(const mpi::Communicator&, Index, const SomeRows<T>&,         \
                                 const std::function<Answer(Vectors<const T>, Vectors<T>)>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
