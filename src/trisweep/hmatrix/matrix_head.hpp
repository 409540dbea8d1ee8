#pragma once
// What a file of an H-matrix has beside the blocks.

#include "trisweep/hmatrix/compressed_blocks.hpp"
#include "trisweep/hmatrix/hdf5_file.hpp"

namespace trisweep::hmatrix {

struct MatrixHead {
  ClusterTree tree;
  HMatrixOptions options;
  RowBlocks row_blocks;
};

void write_head(Hdf5Writer& file, const std::string& scalar, const MatrixHead& head);
// Throws InputError: the file is of another program, version or scalar type, or what it says does not fit
// together.
MatrixHead read_head(const Hdf5Reader& file, const std::string& scalar);

}  // namespace trisweep::hmatrix
