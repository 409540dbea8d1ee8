#include "trisweep/hmatrix/matrix_file.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/hmatrix/block_batch.hpp"
#include "trisweep/hmatrix/matrix_head.hpp"

namespace trisweep::hmatrix {
namespace {

template <Scalar T>
constexpr const char* scalar_name() {
  if constexpr (std::same_as<T, float>) return "float";
  if constexpr (std::same_as<T, double>) return "double";
  if constexpr (std::same_as<T, std::complex<float>>) return "complex float";
  return "complex double";
}

// Blocks of the file that are read together, and by whom they are wanted.
struct FilePart {
  Index owner;
  Offset fields, field_count;  // of the lists
  Offset piece, piece_count;
  Offset panels, panel_bytes;
};

// Goes through the blocks of a file.
class PartList {
 public:
  PartList(const Hdf5Reader& file, const MatrixHead& head, Index ranks)
      : file_(file), head_(head), ranks_(ranks), total_(file.size("panels")) {}

  std::vector<FilePart> make() {
    const auto fields = file_.list<Index>("block");
    const auto piece = file_.list<Offset>("piece");
    if (fields.size() % usize(block_fields) != 0) refuse();
    for (std::size_t f = 0; f < fields.size(); f += usize(block_fields)) add(&fields[f], piece);
    if (next_.panels != total_ || usize(next_.piece) != piece.size()) refuse();
    return std::move(parts_);
  }

 private:
  [[noreturn]] void refuse() const { file_.refuse("its blocks are inconsistent", "make the file again"); }

  void add(const Index* f, const std::vector<Offset>& piece) {
    const Offset pieces = Offset{f[7]} + 1;
    if (!is_sound(f) || next_.piece + pieces > static_cast<Offset>(piece.size())) refuse();
    const std::span<const Offset> own(piece.data() + next_.piece, usize(pieces));
    if (own.front() < 0 || !std::ranges::is_sorted(own) || next_.panels + own.back() > total_) refuse();
    const auto owner = static_cast<Index>(
        std::min(double(next_.panels) / std::max(double(total_), 1.0) * ranks_, double(ranks_ - 1)));
    if (parts_.empty() || parts_.back().owner != owner ||
        parts_.back().panel_bytes >= Offset{bytes_of_batch}) {
      next_.owner = owner;
      parts_.push_back(next_);
    }
    parts_.back().field_count += block_fields;
    parts_.back().piece_count += pieces;
    parts_.back().panel_bytes += own.back();
    next_.fields += block_fields;
    next_.piece += pieces;
    next_.panels += own.back();
    last_number_ = f[0];
  }

  bool is_sound(const Index* f) const {
    const RowBlocks& row_blocks = head_.row_blocks;
    const auto is_range = [&](Index begin, Index end) {
      return 0 <= begin && begin < end && end <= head_.tree.size();
    };
    return f[0] >= last_number_ && is_range(f[1], f[2]) && is_range(f[3], f[4]) &&
           f[5] >= StoredBlock::dense && f[6] >= 0 && f[7] > 0 && f[6] <= row_blocks.count() - f[7] &&
           row_blocks.of(f[1]) == f[6] && row_blocks.of(f[2] - 1) == f[6] + f[7] - 1;
  }

  const Hdf5Reader& file_;
  const MatrixHead& head_;
  const Index ranks_;
  const Offset total_;
  FilePart next_{};
  Index last_number_ = 0;
  std::vector<FilePart> parts_;
};

BlockBatch read_part(const Hdf5Reader& file, const FilePart& part) {
  BlockBatch batch;
  batch.fields.resize(usize(part.field_count));
  batch.piece.resize(usize(part.piece_count));
  batch.panels.resize(usize(part.panel_bytes));
  file.read<Index>("block", part.fields, batch.fields);
  file.read<Offset>("piece", part.piece, batch.piece);
  file.read<std::byte>("panels", part.panels, batch.panels);
  return batch;
}

// Where the batches of this rank's blocks end.
std::vector<std::size_t> batch_ends(const std::vector<StoredBlock>& blocks) {
  std::vector<std::size_t> ends;
  std::size_t bytes = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    bytes += blocks[b].bytes.size();
    if (bytes < bytes_of_batch && b + 1 < blocks.size()) continue;
    ends.push_back(b + 1);
    bytes = 0;
  }
  return ends;
}

// Sizes of the three lists, of all ranks.
std::array<Offset, 3> list_sizes(const mpi::Communicator& comm, const std::vector<StoredBlock>& blocks) {
  std::vector<double> sizes(3);
  for (const StoredBlock& block : blocks) {
    sizes[0] += block_fields;
    sizes[1] += double(block.piece.size());
    sizes[2] += double(block.bytes.size());
  }
  comm.sum(sizes);
  return {static_cast<Offset>(sizes[0]), static_cast<Offset>(sizes[1]), static_cast<Offset>(sizes[2])};
}

void write_blocks(const mpi::Communicator& comm, const std::vector<StoredBlock>& blocks, Hdf5Writer* file) {
  const auto ends = mpi::agree_on_error(comm, [&] { return batch_ends(blocks); });
  for (Index r = 0; r < comm.size(); ++r) {
    auto batches = static_cast<Index>(ends.size());
    comm.broadcast(batches, r);
    for (Index b = 0; b < batches; ++b) {
      BlockBatch batch;
      if (comm.rank() == r) {
        const std::size_t begin = b == 0 ? 0 : ends[usize(b - 1)];
        batch = to_batch(std::span(blocks).subspan(begin, ends[usize(b)] - begin));
        if (r != 0) send(comm, batch, 0);
      } else if (comm.rank() == 0) {
        batch = receive_batch(comm, r);
      }
      mpi::agree_on_error(comm, [&] {
        if (file == nullptr) return;
        file->append<Index>("block", batch.fields);
        file->append<Offset>("piece", batch.piece);
        file->append<std::byte>("panels", batch.panels);
      });
    }
  }
}

}  // namespace

template <Scalar T>
void save_blocks(const mpi::Communicator& comm, const CompressedBlocks<T>& blocks, OutputFile* file) {
  mpi::revoke_on_error(comm, [&] {
    const auto sizes = list_sizes(comm, blocks.stored);
    const auto writer = mpi::agree_on_error(comm, [&]() -> std::unique_ptr<Hdf5Writer> {
      if (comm.rank() != 0) return nullptr;
      auto made = std::make_unique<Hdf5Writer>(*file);
      write_head(*made, scalar_name<T>(), {blocks.tree, blocks.options, blocks.row_blocks});
      made->template make_list<Index>("block", sizes[0]);
      made->template make_list<Offset>("piece", sizes[1]);
      made->template make_list<std::byte>("panels", sizes[2]);
      return made;
    });
    write_blocks(comm, blocks.stored, writer.get());
    mpi::agree_on_error(comm, [&] {
      if (writer) writer->commit();
    });
  });
}

template <Scalar T>
CompressedBlocks<T> load_blocks(const mpi::Communicator& comm, const std::filesystem::path& path) {
  return mpi::revoke_on_error(comm, [&] {
    const auto start = Clock::now();
    MatrixHead head;
    std::vector<FilePart> parts;
    const auto file = mpi::agree_on_error(comm, [&]() -> std::unique_ptr<Hdf5Reader> {
      if (comm.rank() != 0) return nullptr;
      auto opened = std::make_unique<Hdf5Reader>(path);
      head = read_head(*opened, scalar_name<T>());
      parts = PartList(*opened, head, comm.size()).make();
      return opened;
    });
    comm.broadcast(head.options);
    comm.broadcast(head.tree.order);
    comm.broadcast(head.tree.cluster);
    comm.broadcast(head.row_blocks.begin);
    comm.broadcast(parts);
    CompressedBlocks<T> blocks{
        .tree = std::move(head.tree), .options = head.options, .row_blocks = head.row_blocks};
    for (const FilePart& part : parts) {
      BlockBatch batch =
          mpi::agree_on_error(comm, [&] { return comm.rank() == 0 ? read_part(*file, part) : BlockBatch{}; });
      if (part.owner != 0 && comm.rank() == 0) send(comm, batch, part.owner);
      if (part.owner != comm.rank()) continue;
      if (part.owner != 0) batch = receive_batch(comm, 0);
      std::ranges::move(to_blocks(batch), std::back_inserter(blocks.stored));
    }
    mpi::agree_on_error(comm, [&] {
      blocks.leaves = make_blocks(blocks.tree, blocks.options.blocks);
      if (!blocks.stored.empty() && usize(blocks.stored.back().number) >= blocks.leaves.size())
        throw InputError(path, 0, "its blocks do not match its cluster tree", "make the file again");
    });
    blocks.seconds = comm.max(seconds_since(start));
    return blocks;
  });
}

bool is_tree_of(const ClusterTree& tree, const std::vector<Point>& points) {
  if (tree.order.size() != points.size()) return false;
  constexpr double rounding = 1e-12;
  return std::ranges::all_of(tree.cluster, [&](const Cluster& c) {
    for (Index at = c.begin; c.is_leaf() && at < c.end; ++at) {
      const Point& p = points[usize(tree.order[usize(at)])];
      for (std::size_t d = 0; d < 3; ++d) {
        const double slack = rounding * (std::abs(c.low[d]) + std::abs(c.high[d]));
        if (!(c.low[d] - slack <= p[d] && p[d] <= c.high[d] + slack)) return false;
      }
    }
    return true;
  });
}

#define INSTANTIATE(T)                                                                          \
  template void save_blocks(const mpi::Communicator&, const CompressedBlocks<T>&, OutputFile*); \
  template CompressedBlocks<T> load_blocks(const mpi::Communicator&, const std::filesystem::path&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
