#pragma once
// The index of a saved H-matrix: everything but the blocks, and where the blocks are.

#include "trisweep/hmatrix/compressed_blocks.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::hmatrix {

struct MatrixHead {
  ClusterTree tree;
  HMatrixOptions options;
  RowBlocks row_blocks;
  std::string identity;             // of this save: the files of blocks have it, too
  std::vector<Offset> panel_bytes;  // in each of those files
};

inline constexpr storage::FileFormat index_format{"trisweep H-matrix", 2,
                                                  "make the matrix again, with --save FOLDER"};

void write_head(storage::Hdf5Writer& file, const std::string& scalar, const MatrixHead& head);
// Throws InputError if the matrix is of another scalar type or the index is inconsistent.
MatrixHead read_head(const storage::Hdf5Reader& file, const std::string& scalar);

}  // namespace trisweep::hmatrix
