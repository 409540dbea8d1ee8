// graph, graph-road: lower triangular matrices for component-level triangular solves: the lower triangle of a
// graph whose vertices are the rows. Off-diagonal entries of a row sum to less than 0.9 in magnitude and
// diagonals lie in [1, 2), so that the condition number stays below 30 (in the infinity norm) whatever the
// structure.

#include <cmath>
#include <span>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

// Adds row i from the earlier vertices it is linked to.
void add_row(CsrBuilder<double>& a, Index i, std::span<const Index> earlier, Random& random) {
  for (const Index j : earlier) a.add(j, random.uniform(-0.9, 0.9) / static_cast<double>(earlier.size()));
  a.add(i, random.uniform(1, 2));
  a.end_row();
}

}  // namespace

// Power laws both ways, like web graphs: row i has k links with probability about 1/k^2 (at most 512), and
// each goes to a random earlier vertex or, as often, to the end of a random earlier link (preferential
// attachment: columns too have a power law). About 8 entries per row; depth grows like log N.
matrix::AnyCsr graph(const RecipeOptions& options) {
  constexpr double most_links = 512;
  Random random(options.seed);
  CsrBuilder<double> a(options.n, options.n, 8 * Offset{options.n});
  std::vector<Index> ends;  // of all links so far
  std::vector<Index> earlier;
  for (Index i = 0; i < options.n; ++i) {
    const Index wanted = static_cast<Index>(std::min(1 / (1 - random.uniform()), most_links));
    earlier.clear();
    for (Index k = 0; k < std::min(wanted, i); ++k) {
      const bool follow = !ends.empty() && random.below(2) == 0;
      earlier.push_back(follow ? ends[random.below(ends.size())] : random.below(i));
    }
    add_row(a, i, earlier, random);
    ends.insert(ends.end(), earlier.begin(), earlier.end());
  }
  return std::move(a).finish();
}

// Planar, about 1.08 links per vertex, long chains: vertices in rows of floor(sqrt(N)), linked to the one
// before with probability 0.9 (streets) and to the one above with probability 0.18 (crossings). Links per
// vertex and levels are close to those of OpenStreetMap graphs (luxembourg_osm: 427 levels at N = 114,599,
// here about 350; belgium_osm: 631 at N = 1,441,295, here about 730).
matrix::AnyCsr graph_road(const RecipeOptions& options) {
  const Index width = static_cast<Index>(std::sqrt(static_cast<double>(options.n)));
  Random random(options.seed);
  CsrBuilder<double> a(options.n, options.n, 2 * Offset{options.n} + Offset{options.n} / 10);
  std::vector<Index> earlier;
  for (Index i = 0; i < options.n; ++i) {
    earlier.clear();
    if (i >= width && random.uniform() < 0.18) earlier.push_back(i - width);
    if (i % width > 0 && random.uniform() < 0.9) earlier.push_back(i - 1);
    add_row(a, i, earlier, random);
  }
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
