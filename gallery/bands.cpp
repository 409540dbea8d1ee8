// Matrices whose factors are hardly larger than the matrices: tridiagonal, banded, block-diagonal, arrow.
// They show the cost of a solver apart from arithmetic: ordering, supernodes of a few columns, tasks.

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

constexpr Index half_band = 5;
constexpr Index block_size = 10;

// Random values in columns first .. end - 1 of the row: in [1, 2) on the diagonal; the magnitudes of the
// others sum to less than 0.9.
void add_dominant_row(CsrBuilder<double>& a, Random& random, Index row, Index first, Index end) {
  for (Index j = first; j < end; ++j)
    a.add(j, j == row ? random.uniform(1, 2) : random.uniform(-0.9, 0.9) / (end - first));
  a.end_row();
}

}  // namespace

// Cubic splines through N points: 4 on the diagonal, 1 beside it.
matrix::AnyCsr tridiagonal(const RecipeOptions& options) {
  const Index n = options.n;
  CsrBuilder<double> a(n, n, 3 * Offset{n} - 2);
  for (Index i = 0; i < n; ++i) {
    if (i > 0) a.add(i - 1, 1);
    a.add(i, 4);
    if (i + 1 < n) a.add(i + 1, 1);
    a.end_row();
  }
  return std::move(a).finish();
}

matrix::AnyCsr banded(const RecipeOptions& options) {
  const Index n = options.n;
  Random random(options.seed);
  CsrBuilder<double> a(n, n, (2 * half_band + 1) * Offset{n} - half_band * (half_band + 1));
  for (Index i = 0; i < n; ++i)
    add_dominant_row(a, random, i, std::max(i - half_band, 0), n - i > half_band ? i + half_band + 1 : n);
  return std::move(a).finish();
}

matrix::AnyCsr block_diagonal(const RecipeOptions& options) {
  const Index n = options.n * block_size;
  Random random(options.seed);
  CsrBuilder<double> a(n, n, Offset{n} * block_size);
  for (Index i = 0; i < n; ++i) {
    const Index first = i - i % block_size;
    add_dominant_row(a, random, i, first, first + block_size);
  }
  return std::move(a).finish();
}

// The first row and the first column are full, the rest is diagonal: eliminated in this order, everything
// fills in.
matrix::AnyCsr arrow(const RecipeOptions& options) {
  const Index n = options.n;
  Random random(options.seed);
  CsrBuilder<double> a(n, n, 3 * Offset{n} - 2);
  add_dominant_row(a, random, 0, 0, n);
  for (Index i = 1; i < n; ++i) {
    a.add(0, random.uniform(-0.9, 0.9));
    a.add(i, random.uniform(1, 2));
    a.end_row();
  }
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
