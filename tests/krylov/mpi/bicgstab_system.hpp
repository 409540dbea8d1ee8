#pragma once
#include "support/distributed_rows.hpp"
#include "support/largest.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::krylov {

using testing_support::in_columns;
using testing_support::own_rows;

// A x = b, all columns at once, without a preconditioner.
template <Scalar T>
class BicgstabSystem {
 public:
  explicit BicgstabSystem(matrix::Csr<T> a)
      : a_(std::move(a)),
        partition_(distribution::even_partition(a_.rows(), comm_.size())),
        matrix_(MPI_COMM_WORLD, &a_, partition_) {}

  std::vector<T> times(const std::vector<T>& x) const {
    std::vector<T> b(x.size());
    const std::size_t n = usize(a_.rows());
    for (std::size_t at = 0; at < x.size(); at += n)
      matrix::multiply<T>(a_, Op::none, std::span(x).subspan(at, n), std::span(b).subspan(at, n));
    return b;
  }

  // This rank's rows of x.
  std::vector<T> solve(const std::vector<T>& b, const KrylovOptions& options, int threads = 1) {
    ThreadPool pool(threads);
    const auto own = own_rows(partition_, comm_.rank(), b);
    std::vector<T> x(own.size());
    const auto multiply = [&](Vectors<const T> v, Vectors<T> y) { matrix_.apply(Op::none, v, y, pool); };
    const Identity identity;
    const Index rows = matrix_.local_rows(), cols = static_cast<Index>(b.size()) / a_.rows();
    result = find_named(methods<T>(), "method", method)
                 .solve({comm_, pool}, {multiply, identity}, in_columns(own, rows, cols),
                        in_columns(x, rows, cols), options);
    return x;
  }

  double error(const std::vector<T>& own, const std::vector<T>& expected) {
    return comm_.max(testing_support::largest_difference(own, own_rows(partition_, comm_.rank(), expected)));
  }

  std::string method = "bicgstab";
  std::vector<KrylovResult> result;

 private:
  const mpi::Communicator comm_{MPI_COMM_WORLD};
  const matrix::Csr<T> a_;
  const distribution::RowPartition partition_;
  DistributedMatrix<T> matrix_;
};

}  // namespace trisweep::krylov
