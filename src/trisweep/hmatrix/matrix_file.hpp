#pragma once
// H-matrices in folders of HDF5 files, which any number of ranks may write and any other number read.
//
// Each rank writes its blocks to a file of its own, blocks-RANK.h5, and rank 0 writes index.h5: everything
// but the blocks, and the bytes of each file. Each rank reads the files that have blocks of its share of the
// bytes: no blocks are sent in messages. All ranks must see the folder. While it writes, a rank needs as much
// memory again as its blocks take.

#include "trisweep/core/output_file.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"

namespace trisweep::hmatrix {

// The name of a file in `folder` that does not belong to an H-matrix; empty when there is none. Throws
// Error(environment) when the folder cannot be read.
std::string foreign_to_matrix(const std::filesystem::path& folder);

// Saves `blocks` in `folder`, which rank 0 passes, made with foreign_to_matrix, and which appears only when
// complete; other ranks pass null. Collective; throws Error(environment) on every rank when a file cannot be
// written.
template <Scalar T>
void save_blocks(const mpi::Communicator& comm, const CompressedBlocks<T>& blocks, OutputFolder* folder);

// The blocks saved in `folder`, about as many bytes on each rank. Products are bitwise the same as before
// saving. Collective; throws InputError on every rank, naming the file, if it is missing, damaged, or of
// another matrix, program, version or scalar type.
template <Scalar T>
CompressedBlocks<T> load_blocks(const mpi::Communicator& comm, const std::filesystem::path& folder);

// Whether `tree` fits `points`, one for each row: every point lies in the box of its leaf. Throws nothing.
bool is_tree_of(const ClusterTree& tree, const std::vector<Point>& points);

}  // namespace trisweep::hmatrix
