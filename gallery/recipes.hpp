#pragma once
// The gallery's recipes, one function per kind. Internal: make_matrix() has checked the options. The matrices
// are described at the definitions and in docs/gallery.md.

#include "gallery/gallery.hpp"

namespace trisweep::gallery::recipes {

matrix::AnyCsr s2d9(const RecipeOptions& options);
matrix::AnyCsr poisson3d(const RecipeOptions& options);
matrix::AnyCsr dirichlet3d(const RecipeOptions& options);
matrix::AnyCsr convection3d(const RecipeOptions& options);
matrix::AnyCsr transport3d(const RecipeOptions& options);
matrix::AnyCsr elasticity3d(const RecipeOptions& options);
matrix::AnyCsr plate(const RecipeOptions& options);
matrix::AnyCsr maxwell3d(const RecipeOptions& options);
matrix::AnyCsr kkt3d(const RecipeOptions& options);
matrix::AnyCsr cage(const RecipeOptions& options);
matrix::AnyCsr dense_blocks3d(const RecipeOptions& options);
matrix::AnyCsr fusion(const RecipeOptions& options);
matrix::AnyCsr random(const RecipeOptions& options);
matrix::AnyCsr graph(const RecipeOptions& options);
matrix::AnyCsr graph_road(const RecipeOptions& options);
matrix::AnyCsr tridiagonal(const RecipeOptions& options);
matrix::AnyCsr banded(const RecipeOptions& options);
matrix::AnyCsr block_diagonal(const RecipeOptions& options);
matrix::AnyCsr arrow(const RecipeOptions& options);

}  // namespace trisweep::gallery::recipes
