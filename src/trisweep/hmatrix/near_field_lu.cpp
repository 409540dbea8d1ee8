// LU factors of the near field: the only part of H-matrices that needs the solver of sparse systems.

#include <algorithm>
#include <cmath>

#include "trisweep/hmatrix/preconditioners.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::hmatrix {
namespace {

// The near field as a sparse matrix. With a sharp cutoff it would be indefinite even for a positive definite
// kernel, and useless as a preconditioner; so entries are tapered by (1 - r / R)^2 (Askey 1973: positive
// definite in three dimensions, as is then the product of both), with R the least distance between the two
// clusters of a low-rank block.
template <Scalar T>
class NearField {
 public:
  explicit NearField(const MatrixSource<T>& source)
      : source_(source), tree_(source.matrix.tree()), leaves_(make_blocks(tree_, source.options.blocks)) {
    for (const Block& b : leaves_) {
      if (b.admissible)
        range_ = std::min(range_, distance(tree_.cluster[usize(b.row)], tree_.cluster[usize(b.col)]));
    }
  }

  // This rank's rows, in the tree's order.
  matrix::Csr<T> rows() {
    const Index first = source_.matrix.partition().first(source_.context.comm.rank());
    const Index end = first + source_.matrix.local_rows();
    std::erase_if(leaves_, [&](const Block& b) {
      return b.admissible || rows_of(b).begin < first || rows_of(b).begin >= end;
    });
    std::ranges::sort(leaves_, {}, [&](const Block& b) {
      return std::pair(rows_of(b).begin, tree_.cluster[usize(b.col)].begin);
    });
    csr_.pattern.rows = end - first;
    csr_.pattern.cols = tree_.size();
    for (auto begin = leaves_.begin(); begin != leaves_.end();) {
      const auto last =
          std::find_if(begin, leaves_.end(), [&](const Block& b) { return b.row != begin->row; });
      for (Index i = rows_of(*begin).begin; i < rows_of(*begin).end; ++i) {
        std::for_each(begin, last, [&](const Block& b) { add(i, tree_.cluster[usize(b.col)]); });
        csr_.pattern.row_ptr.push_back(static_cast<Offset>(csr_.value.size()));
      }
      begin = last;
    }
    return std::move(csr_);
  }

 private:
  const Cluster& rows_of(const Block& b) const { return tree_.cluster[usize(b.row)]; }

  void add(Index i, const Cluster& cols) {
    const auto points = std::span(tree_.order).subspan(usize(cols.begin), usize(cols.size()));
    const Index row = tree_.order[usize(i)];
    entries_.resize(points.size());
    source_.kernel.row(row, points, entries_.data());
    for (Index j = 0; j < cols.size(); ++j) {
      const double r = length(source_.points[usize(row)] - source_.points[usize(points[usize(j)])]);
      const double taper = 1 - r / range_;
      if (taper <= 0) continue;
      csr_.pattern.col.push_back(cols.begin + j);
      csr_.value.push_back(entries_[usize(j)] * static_cast<RealOf<T>>(taper * taper));
    }
  }

  const MatrixSource<T>& source_;
  const ClusterTree& tree_;
  std::vector<Block> leaves_;
  double range_ = HUGE_VAL;
  matrix::Csr<T> csr_;
  std::vector<T> entries_;
};

template <Scalar T>
class NearFieldLu final : public Preconditioner<T> {
 public:
  NearFieldLu(const mpi::Communicator& comm, const MatrixSource<T>& source)
      : solver_(comm, {mpi::agree_on_error(comm, [&] { return NearField<T>(source).rows(); })},
                {.threads = source.context.pool.size()}) {}
  void operator()(Vectors<const T> b, Vectors<T> x) override { solver_.sweep(b, x); }

 private:
  Solver<T> solver_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Preconditioner<T>> near_field_lu(const MatrixSource<T>& source) {
  return mpi::make_collective<NearFieldLu<T>>(source.context.comm, source);
}

#define INSTANTIATE(T) template std::unique_ptr<Preconditioner<T>> near_field_lu(const MatrixSource<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
