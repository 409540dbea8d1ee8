#pragma once
// The gallery's recipes, one function per kind. Internal: gallery() has checked the options. What each one
// builds is told where it is defined and in docs/gallery.md.

#include "trisweep/matrix/gallery.hpp"

namespace trisweep::matrix::recipes {

AnyCsr s2d9(const GalleryOptions& options);
AnyCsr poisson3d(const GalleryOptions& options);
AnyCsr convection3d(const GalleryOptions& options);
AnyCsr elasticity3d(const GalleryOptions& options);
AnyCsr maxwell3d(const GalleryOptions& options);
AnyCsr kkt3d(const GalleryOptions& options);
AnyCsr cage(const GalleryOptions& options);
AnyCsr dense_blocks3d(const GalleryOptions& options);
AnyCsr fusion(const GalleryOptions& options);
AnyCsr random(const GalleryOptions& options);
AnyCsr graph(const GalleryOptions& options);
AnyCsr graph_road(const GalleryOptions& options);
AnyCsr tridiagonal(const GalleryOptions& options);
AnyCsr banded(const GalleryOptions& options);
AnyCsr block_diagonal(const GalleryOptions& options);
AnyCsr arrow(const GalleryOptions& options);

}  // namespace trisweep::matrix::recipes
