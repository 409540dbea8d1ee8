#pragma once
// H-matrices in folders of HDF5 files, which any number of ranks may write and any other number read.
//
// Each rank writes its blocks to a file of its own, blocks-RANK.h5, and rank 0 writes index.h5: what is not
// blocks, and the bytes of each file. Each rank reads the files that have blocks of its share of the bytes.
// No block is in a message. All ranks must see the folder. While it writes, a rank needs as much memory again
// as its blocks have.

#include "trisweep/core/output_file.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"

namespace trisweep::hmatrix {

// The name of a file in the folder that is none of an H-matrix; empty when there is none. Throws
// Error(environment) when the folder cannot be read.
std::string foreign_to_matrix(const std::filesystem::path& folder);

// Saves `blocks` in `folder`, which is rank 0's, made with foreign_to_matrix, and appears whole; others pass
// none. Collective; throws Error(environment) on every rank when a file cannot be written.
template <Scalar T>
void save_blocks(const mpi::Communicator& comm, const CompressedBlocks<T>& blocks, OutputFolder* folder);

// The blocks saved in `folder`, about as many bytes on each rank. Products are the same bit for bit as before
// they were saved. Collective; throws InputError on every rank, which names the file: it is missing, damaged,
// of another matrix, program, version or scalar type.
template <Scalar T>
CompressedBlocks<T> load_blocks(const mpi::Communicator& comm, const std::filesystem::path& folder);

// Whether a tree is that of these `points`, one for each row, in its order. Throws nothing.
bool is_tree_of(const ClusterTree& tree, const std::vector<Point>& points);

}  // namespace trisweep::hmatrix
