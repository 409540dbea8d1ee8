#pragma once
// H-matrices in HDF5 files, which any number of ranks may write and any other number read: what is in a file
// is what one rank alone would have written, up to where HDF5 puts it.
//
// Blocks go through rank 0, a few megabytes at a time: each is in one message, and rank 0 needs no more
// memory than others.

#include "trisweep/core/output_file.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"

namespace trisweep::hmatrix {

// `file` is rank 0's, and appears whole; others pass none. Collective; throws Error(environment) on every
// rank.
template <Scalar T>
void save_blocks(const mpi::Communicator& comm, const CompressedBlocks<T>& blocks, OutputFile* file);

// Each rank gets about as many bytes of blocks. Products are the same bit for bit as before they were saved.
// Collective; throws InputError on every rank: the file is missing, damaged, of another program, version or
// scalar type.
template <Scalar T>
CompressedBlocks<T> load_blocks(const mpi::Communicator& comm, const std::filesystem::path& file);

// For programs that use HDF5 through this alone, before anything else here: where a file was damaged, HDF5
// 1.10 complains of itself when it tidies up at the program's end. There is nothing to tidy up.
void leave_hdf5_alone_at_exit();

// Whether a tree is that of these points, in its order.
bool is_tree_of(const ClusterTree& tree, const std::vector<Point>& points);

}  // namespace trisweep::hmatrix
