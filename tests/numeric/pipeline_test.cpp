// The factorization behind the ordering and the symbolic analysis it meets in practice, on real matrices.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gallery/gallery.hpp"
#include "numeric/support.hpp"
#include "support/largest.hpp"
#include "support/real_matrices.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::numeric {
namespace {

template <Scalar T>
struct Ordered {
  matrix::Csr<T> a;
  std::shared_ptr<const symbolic::Structure> structure;
};

template <Scalar T>
Ordered<T> prepare(const matrix::Csr<T>& a, bool definite, Index max_width = 128) {
  const auto o = ordering::order(a, definite, {});
  const auto ordered = matrix::permuted_and_scaled<T>(a, o.row_new, o.col_new, o.row_scale, o.col_scale);
  const auto analysis =
      symbolic::analyze(matrix::symmetrized(ordered.pattern), o.tree, {.max_width = max_width});
  const std::vector<double> ones(usize(a.rows()), 1.0);
  const std::vector<Index>& to = analysis.new_of_ordered;
  return {matrix::permuted_and_scaled<T>(ordered, to, to, ones, ones), analysis.structure};
}

// ||b - A x|| / (||A|| ||x|| + ||b||) in the infinity norm, of one solve without refinement.
template <Scalar T>
double backward_error(const matrix::Csr<T>& a, const Factors<T>& f) {
  using testing_support::largest_magnitude;
  std::vector<T> b(usize(a.rows())), ax(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(1 + double(i % 5));
  const std::vector<T> x = testing::solve(f, b);
  matrix::multiply<T>(a, Op::none, x, ax);
  for (std::size_t i = 0; i < b.size(); ++i) ax[i] = b[i] - ax[i];
  return largest_magnitude(ax) / (matrix::norm_inf(a) * largest_magnitude(x) + largest_magnitude(b));
}

double solve_file(const std::filesystem::path& file, Kind kind, int threads) {
  const auto any = matrix::read_matrix(file);
  return std::visit(
      [&](const auto& a) {
        const auto ordered = prepare(a, kind == Kind::cholesky);
        const auto f = factor(ordered.a, ordered.structure, kind, {.threads = threads});
        return f ? backward_error(ordered.a, *f) : 1.0;
      },
      any);
}

TEST(Pipeline, FactorsUnsymmetricMatrices) {
  for (const auto& file :
       test::real_matrices({"west0479.mtx.gz", "orsirr_1.mtx.gz", "add32.mtx.gz", "jpwh_991.mtx.gz",
                            "gemat12.mtx.gz", "sherman5.rua", "young1c.mtx.gz", "qc324.mtx.gz"})) {
    EXPECT_LT(solve_file(file, Kind::lu, 2), 1e-9) << file;
  }
}

TEST(Pipeline, FactorsDefiniteMatrices) {
  for (const auto& file :
       test::real_matrices({"bcsstk14.mtx.gz", "bcsstk16.mtx.gz", "wathenSmall.mtx.gz", "gr_30_30.mtx.gz"})) {
    EXPECT_LT(solve_file(file, Kind::cholesky, 2), 1e-13) << file;
  }
}

TEST(Pipeline, IsBitwiseTheSameOnAnyNumberOfThreads) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 16}));
  const auto ordered = prepare(a, false);
  const auto reference = factor(ordered.a, ordered.structure, Kind::lu, {.threads = 1});
  for (const int threads : {2, 3, 4}) {
    const auto f = factor(ordered.a, ordered.structure, Kind::lu, {.threads = threads});
    EXPECT_TRUE(std::ranges::equal(f->lower.span(), reference->lower.span()));
    EXPECT_TRUE(std::ranges::equal(f->upper.span(), reference->upper.span()));
    EXPECT_TRUE(std::ranges::equal(f->diagonal.span(), reference->diagonal.span()));
  }
}

// Splitting wide separators changes how they are stored, not (up to which supernodes merge) what is computed.
TEST(Pipeline, SplitSeparatorsCostNoFlops) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("poisson3d", {.n = 14}));
  const auto whole = prepare(a, true, 1000), split = prepare(a, true, 40);
  ASSERT_GT(split.structure->supernodes(), whole.structure->supernodes());
  const double flops = estimate(*whole.structure, Kind::cholesky, sizeof(double)).flops;
  EXPECT_NEAR(estimate(*split.structure, Kind::cholesky, sizeof(double)).flops, flops, 0.02 * flops);
  EXPECT_LT(backward_error(split.a, *factor(split.a, split.structure, Kind::cholesky, {})), 1e-15);
}

}  // namespace
}  // namespace trisweep::numeric
