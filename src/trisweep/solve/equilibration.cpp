#include "trisweep/solve/equilibration.hpp"

#include <algorithm>
#include <cmath>

#include "trisweep/ordering/scaling.hpp"

namespace trisweep::solve {
namespace {

// The least magnitude of a strong diagonal entry when rows and columns are scaled.
constexpr double weak = 0.1;

// Calls visit(row on this rank, column, magnitude).
template <Scalar T>
void for_each_magnitude(const matrix::Csr<T>& a, const auto& visit) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      visit(i, a.pattern.col[usize(e)], double(std::abs(a.value[usize(e)])));
  }
}

// The power of two that scales `largest` to [0.5, 1). Zeros stay zero, for the matching to report.
double scale_of(double largest) {
  return largest > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(largest) + 1, -1000, 1000)) : 1;
}

}  // namespace

template <Scalar T>
Equilibration equilibrate(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                          const distribution::RowPartition& partition) {
  const Index first = partition.first(comm.rank());
  Equilibration scaling;
  std::vector<double> largest, strength;
  mpi::agree_on_error(comm, [&] {
    const auto n = usize(partition.rows());
    for (auto* list : {&scaling.row, &scaling.col, &largest}) list->assign(n, 0);
    strength.assign(usize(rows.rows()), 0);
    for_each_magnitude(rows, [&](Index i, Index, double size) {
      double& of_row = scaling.row[usize(first + i)];
      of_row = std::max(of_row, size);
    });
    for (Index i = 0; i < rows.rows(); ++i)
      scaling.row[usize(first + i)] = scale_of(scaling.row[usize(first + i)]);
    for_each_magnitude(rows, [&](Index i, Index j, double size) {
      const double scaled = size * scaling.row[usize(first + i)];
      largest[usize(j)] = std::max(largest[usize(j)], scaled);
      if (j == first + i) strength[usize(i)] = scaled;
    });
  });
  comm.max(scaling.row);
  comm.max(largest);
  std::ranges::transform(largest, scaling.col.begin(), scale_of);
  double strong = 1;
  for (Index i = 0; i < rows.rows(); ++i)
    strong = std::min(strong, strength[usize(i)] * scaling.col[usize(first + i)]);
  scaling.has_strong_diagonal = comm.max(-strong) < -weak;
  return scaling;
}

template <Scalar T>
Equilibration equilibrate_symmetrically(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                        const distribution::RowPartition& partition) {
  const Index first = partition.first(comm.rank());
  Equilibration scaling{.has_strong_diagonal = true};
  mpi::agree_on_error(comm, [&] {
    scaling.row.assign(usize(partition.rows()), 0);
    for_each_magnitude(rows, [&](Index i, Index j, double size) {
      if (j == first + i) scaling.row[usize(j)] = ordering::power_of_two(-0.5 * std::log2(size));
    });
  });
  comm.max(scaling.row);
  mpi::agree_on_error(comm, [&] { scaling.col = scaling.row; });
  return scaling;
}

#define INSTANTIATE(T)                                                                              \
  template Equilibration equilibrate(const mpi::Communicator&, const matrix::Csr<T>&,               \
                                     const distribution::RowPartition&);                            \
  template Equilibration equilibrate_symmetrically(const mpi::Communicator&, const matrix::Csr<T>&, \
                                                   const distribution::RowPartition&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
