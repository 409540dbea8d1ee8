// random: a matrix without structure. N rows of 2 to 6 entries at random columns; the largest entry of each
// row (and the only one certain to exist) is in the column given by a random permutation, so that the
// diagonal is mostly zero; then rows and columns are multiplied by powers of two between 2^-20 and 2^20.
// Permuted and scaled back, rows are strictly dominant: nonsingular, and well conditioned once the
// permutation and the scales are found. Unsymmetric in pattern and values; about 4 entries per row. Fill is
// heavy: large N are expensive to factor.

#include <cmath>
#include <numeric>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

constexpr int scale_exponent = 20;

double random_scale(Random& random) {
  return std::ldexp(1.0, random.below(2 * scale_exponent + 1) - scale_exponent);
}

std::vector<Index> random_permutation(Index n, Random& random) {
  std::vector<Index> p(usize(n));
  std::iota(p.begin(), p.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) std::swap(p[usize(i)], p[usize(random.below(i + 1))]);
  return p;
}

}  // namespace

matrix::AnyCsr random(const RecipeOptions& options) {
  const Index n = options.n;
  Random random(options.seed);
  const std::vector<Index> transversal = random_permutation(n, random);
  std::vector<double> col_scale(usize(n));
  for (double& s : col_scale) s = random_scale(random);

  CsrBuilder<double> a(n, n, 4 * Offset{n});
  for (Index i = 0; i < n; ++i) {
    const double row_scale = random_scale(random);
    const auto add = [&](Index col, double value) { a.add(col, value * row_scale * col_scale[usize(col)]); };
    const double sign = random.below(2) == 0 ? -1 : 1;
    add(transversal[usize(i)], sign * random.uniform(1, 2));
    const Index others = 1 + random.below(5);
    for (Index k = 0; k < others; ++k) {
      const Index col = random.below(n);
      add(col, random.uniform(-0.9, 0.9) / others);
    }
    a.end_row();
  }
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
