#include "trisweep/hmatrix/preconditioners.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "trisweep/krylov/methods.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/numeric/diagonal_block.hpp"

namespace trisweep::hmatrix {
namespace {

template <Scalar T>
class NoPreconditioner final : public Preconditioner<T> {
 public:
  explicit NoPreconditioner(const MatrixSource<T>&) {}
  void operator()(Vectors<const T> b, Vectors<T> x) override { krylov::Identity()(b, x); }
  bool is_identity() const override { return true; }
};

// Inverted diagonal blocks of clusters with at most most_rows rows, the same for any number of ranks.
template <Scalar T>
class BlockJacobi final : public Preconditioner<T> {
 public:
  explicit BlockJacobi(const MatrixSource<T>& source) : pool_(source.context.pool) {
    constexpr Index most_rows = 128;
    const Index first = source.matrix.partition().first(source.context.comm.rank());
    mpi::agree_on_error(source.context.comm, [&] {
      numeric::require_addresses_of(1);
      const RowBlocks clusters =
          make_row_blocks(source.matrix.tree(), std::min(most_rows, source.options.block_rows));
      for (Index c = 0; c < clusters.count(); ++c) {
        const Cluster cluster{.begin = clusters.begin[usize(c)], .end = clusters.begin[usize(c) + 1]};
        if (cluster.begin < first || cluster.begin >= first + source.matrix.local_rows()) continue;
        block_.push_back({cluster.begin - first, inverse(source, cluster)});
      }
    });
  }

  void operator()(Vectors<const T> b, Vectors<T> x) override {
    pool_.run([&](int thread) {
      const ThreadPool::Part mine = pool_.part(thread, block_.size(), 1);
      for (std::size_t i = mine.begin; i < mine.end; ++i) multiply(block_[i], b, x);
    });
  }

 private:
  struct Block {
    Index first;
    matrix::Dense<T> inverse;  // negated, as a product subtracts
  };

  static matrix::Dense<T> inverse(const MatrixSource<T>& source, const Cluster& cluster) {
    const Index n = cluster.size();
    matrix::Dense<T> block{n, n, std::vector<T>(usize(n) * usize(n))};
    const numeric::View<T> view{block.value.data(), n, n, n};
    const auto points = std::span(source.matrix.tree().order).subspan(usize(cluster.begin), usize(n));
    for (Index j = 0; j < n; ++j) source.kernel.column(points, points[usize(j)], view.column(j));
    std::vector<Index> pivots(usize(n), 0);
    std::vector<T> scratch(block.value.size());
    numeric::lu_in_place<T>(view, pivots, std::numeric_limits<RealOf<T>>::min());
    numeric::invert_from_lu<T>(view, pivots, scratch);
    for (T& value : block.value) value = -value;
    return block;
  }

  static void multiply(const Block& block, Vectors<const T> b, Vectors<T> x) {
    const Index n = block.inverse.rows;
    // subtract_product() takes views that can be written; these are only read.
    const numeric::View<T> inverse{const_cast<T*>(block.inverse.value.data()), n, n, n};
    const numeric::View<T> from{const_cast<T*>(b.data) + block.first, n, b.cols, static_cast<Index>(b.ld)};
    numeric::subtract_product<T>({x.data + block.first, n, x.cols, static_cast<Index>(x.ld)}, inverse,
                                 Op::none, from, numeric::Target::overwrite);
  }

  ThreadPool& pool_;
  std::vector<Block> block_;
};

// Ida, Iwashita, Mifune, Takahashi, "Variable preconditioning of Krylov subspace methods for hierarchical
// matrices with adaptive cross approximation", IEEE Trans. Magn. 52 (2016): a few inner iterations with the
// same blocks compressed to rank one, in few bytes.
template <Scalar T>
class RankOne final : public Preconditioner<T> {
 public:
  explicit RankOne(const MatrixSource<T>& source)
      : context_(source.context),
        matrix_(
            source.context,
            compress_blocks<T>(source.context, source.kernel, source.matrix.tree(), coarse(source.options)),
            &source.matrix.partition()) {}

  void operator()(Vectors<const T> b, Vectors<T> x) override {
    for (Index c = 0; c < x.cols; ++c) std::fill_n(x.column(c), x.rows, T{});
    const krylov::Identity none;
    krylov::bicgstab<T>(context_, {matrix_, none}, b, x, inner);
  }

 private:
  // More accuracy would not help, as the rank-one matrix only roughly approximates the given one.
  static constexpr krylov::KrylovOptions inner{.tolerance = 1e-2, .max_iterations = 20};

  static HMatrixOptions coarse(HMatrixOptions options) {
    options.compression = {.eps = 1e-2, .cross = options.compression.cross, .most_rank = 1};
    return options;
  }

  const mpi::ParallelContext context_;
  HMatrix<T> matrix_;
};

template <Scalar T, template <Scalar> class Kind>
std::unique_ptr<Preconditioner<T>> make(const MatrixSource<T>& source) {
  return std::make_unique<Kind<T>>(source);
}

}  // namespace

template <Scalar T>
std::span<const NamedPreconditioner<T>> preconditioners() {
  static constexpr auto table = std::to_array<NamedPreconditioner<T>>({
      {"none", "", true, make<T, NoPreconditioner>},
      {"block-jacobi", "block Jacobi: the inverses of the diagonal blocks", true, make<T, BlockJacobi>},
      {"near-field-lu", "LU factors of the tapered near field", true, near_field_lu<T>},
      {"rank-one", "inner iterations with a rank-one approximation of every admissible block", false,
       make<T, RankOne>},
  });
  return table;
}

#define INSTANTIATE(T) template std::span<const NamedPreconditioner<T>> preconditioners();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
