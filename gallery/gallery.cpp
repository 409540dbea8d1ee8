#include "gallery/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "gallery/recipes.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::gallery {
namespace {

struct Recipe {
  Kind kind;
  matrix::AnyCsr (*make)(const RecipeOptions&);
};

constexpr Index max_index = std::numeric_limits<Index>::max();

// The upper limits are the largest N for which n (docs/gallery.md) fits an Index.
const std::vector<Recipe>& all_recipes() {
  static const std::vector<Recipe> table{
      {{"s2d9", "9-point Laplacian on N x N points; N = 2048 is s2D9pt2048", 1, 46340}, recipes::s2d9},
      {{"poisson3d", "7-point Laplacian on N^3 points", 1, 1290}, recipes::poisson3d},
      {{"dirichlet3d", "the same, the faces' values given by equations whose columns stay, unsymmetric", 2,
        1290},
       recipes::dirichlet3d},
      {{"convection3d", "7-point upwind convection-diffusion on N^3 points, unsymmetric", 1, 1290},
       recipes::convection3d},
      {{"transport3d", "upwind transport with absorption on N^3 points, triangular", 1, 1290},
       recipes::transport3d},
      {{"elasticity3d", "trilinear elements of linear elasticity, N^3 free nodes of 3 unknowns", 2, 894,
        false, true},
       recipes::elasticity3d},
      {{"plate", "linear elasticity on a thin plate, N x N x 2 free nodes of 3 unknowns", 2, 18918, false,
        true},
       recipes::plate},
      {{"maxwell3d", "curl-curl edge elements on N^3 cells, indefinite; complex: with losses", 2, 895, true},
       recipes::maxwell3d},
      {{"kkt3d", "optimization constrained by a 27-point equation on N^3 points, indefinite", 1, 1023},
       recipes::kkt3d},
      {{"cage", "DNA electrophoresis, a polymer of N monomers; N = 13 is cage13", 3, 19}, recipes::cage},
      {{"dense-blocks3d", "high-order stencil on N^3 points and a dense block per atom", 1, 1290, false,
        true},
       recipes::dense_blocks3d},
      {{"fusion", "12 unknowns per node, N x N nodes on each of 8 toroidal planes", 1, 4729, false, true},
       recipes::fusion},
      {{"random", "N rows, random structure, a hidden transversal, badly scaled", 1, max_index, false, true},
       recipes::random},
      {{"graph", "lower triangle of a power-law graph of N vertices", 1, max_index, false, true},
       recipes::graph},
      {{"graph-road", "lower triangle of a road-like graph of N vertices", 1, max_index, false, true},
       recipes::graph_road},
      {{"tridiagonal", "cubic splines through N points", 1, max_index}, recipes::tridiagonal},
      {{"banded", "N rows, five diagonals on each side of the main one", 5, max_index, false, true},
       recipes::banded},
      {{"block-diagonal", "N dense blocks of 10 rows", 1, max_index / 10, false, true},
       recipes::block_diagonal},
      {{"arrow", "N rows, the first row and the first column full", 1, max_index, false, true},
       recipes::arrow},
  };
  return table;
}

const Recipe& find_recipe(const std::string& name) {
  const auto& table = all_recipes();
  const auto found = std::ranges::find(table, name, [](const Recipe& r) { return r.kind.name; });
  if (found != table.end()) return *found;
  std::string known;
  for (const Recipe& r : table) known += (known.empty() ? "" : ", ") + r.kind.name;
  throw Error(ErrorKind::usage, fmt::format("the gallery has no kind '{}'", name), "choose one of " + known);
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> list;
    for (const Recipe& r : all_recipes()) list.push_back(r.kind);
    return list;
  }();
  return kinds;
}

matrix::AnyCsr make_matrix(const std::string& kind, const RecipeOptions& options) {
  const Recipe& recipe = find_recipe(kind);
  const auto& [name, description, min_n, max_n, has_complex, uses_seed] = recipe.kind;
  if (options.n < min_n || options.n > max_n) {
    throw Error(ErrorKind::usage, fmt::format("gallery {}: N = {} is out of range", name, options.n),
                fmt::format("choose N from {} to {}", min_n, max_n));
  }
  if (options.complex && !has_complex) {
    throw Error(ErrorKind::usage, fmt::format("gallery {}: there is no complex variant", name),
                "leave the complex option out, or choose maxwell3d");
  }
  try {
    return recipe.make(options);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::environment,
                fmt::format("gallery {}: not enough memory for N = {}", name, options.n),
                "choose a smaller N");
  }
}

}  // namespace trisweep::gallery
