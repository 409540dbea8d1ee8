#include "trisweep/hmatrix/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

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

constexpr storage::FileFormat blocks_format{"file of blocks of an H-matrix", 1, index_format.remedy};
// Blocks are written and read in batches of about as many bytes.
constexpr std::size_t bytes_of_batch = std::size_t{1} << 24;

std::filesystem::path blocks_file(const std::filesystem::path& folder, std::size_t rank) {
  return folder / fmt::format("blocks-{}.h5", rank);
}

Offset bytes_of(const std::vector<StoredBlock>& blocks) {
  Offset bytes = 0;
  for (const StoredBlock& block : blocks) bytes += static_cast<Offset>(block.bytes.size());
  return bytes;
}

void write_blocks(const std::filesystem::path& path, const std::string& identity,
                  const std::vector<StoredBlock>& blocks) {
  OutputFile output(path);
  storage::Hdf5Writer file(output, blocks_format);
  file.text("identity", identity);
  Offset pieces = 0;
  for (const StoredBlock& block : blocks) pieces += static_cast<Offset>(block.piece.size());
  file.make_list<Index>("block", block_fields * static_cast<Offset>(blocks.size()));
  file.make_list<Offset>("piece", pieces);
  file.make_list<std::byte>("panels", bytes_of(blocks));
  BlockBatch batch;
  for (const StoredBlock& block : blocks) {
    batch.append(block);
    if (batch.panels.size() < bytes_of_batch && &block != &blocks.back()) continue;
    file.append<Index>("block", batch.fields);
    file.append<Offset>("piece", batch.piece);
    file.append<std::byte>("panels", batch.panels);
    batch = {};
  }
  file.commit();
}

// Reads some of the blocks in the file of one writing rank.
class BlockReader {
 public:
  // `bytes`: of the file's panels, according to the index.
  BlockReader(const std::filesystem::path& path, const MatrixHead& head, Offset bytes)
      : file_(path, blocks_format), head_(head), total_(bytes) {
    if (file_.text("identity") != head.identity || file_.size("panels") != bytes)
      file_.refuse("it does not belong to the index beside it");
  }

  // Reads the blocks whose first byte among the panels satisfies wanted(byte); they must be consecutive.
  template <class Wanted>
  void read(const Wanted& wanted, std::vector<StoredBlock>& stored) {
    const auto fields = file_.list<Index>("block");
    const auto piece = file_.list<Offset>("piece");
    if (fields.size() % usize(block_fields) != 0) refuse();
    Offset at = 0;  // of the panels
    auto own = piece.begin();
    for (auto f = fields.begin(); f != fields.end(); f += block_fields) {
      if (!is_sound(&*f) || f[7] >= piece.end() - own) refuse();
      const auto end = own + f[7] + 1;
      const Offset bytes = *(end - 1);
      if (*own < 0 || !std::is_sorted(own, end) || bytes > total_ - at) refuse();
      if (wanted(at)) {
        if (batch_.fields.empty()) begin_ = at;
        end_ = at + bytes;
        batch_.fields.insert(batch_.fields.end(), f, f + block_fields);
        batch_.piece.insert(batch_.piece.end(), own, end);
        if (end_ - begin_ >= Offset{bytes_of_batch}) take_batch(stored);
      }
      at += bytes;
      own = end;
    }
    if (at != total_ || own != piece.end()) refuse();
    take_batch(stored);
  }

 private:
  [[noreturn]] void refuse() const { file_.refuse("its blocks are inconsistent"); }

  bool is_sound(const Index* f) {
    const RowBlocks& row_blocks = head_.row_blocks;
    const auto is_range = [&](Index begin, Index end) {
      return 0 <= begin && begin < end && end <= head_.tree.size();
    };
    return f[0] >= std::exchange(last_number_, f[0]) && is_range(f[1], f[2]) && is_range(f[3], f[4]) &&
           f[5] >= StoredBlock::dense && f[6] >= 0 && f[7] > 0 && f[6] <= row_blocks.count() - f[7] &&
           row_blocks.of(f[1]) == f[6] && row_blocks.of(f[2] - 1) == f[6] + f[7] - 1;
  }

  void take_batch(std::vector<StoredBlock>& stored) {
    batch_.panels.resize(usize(end_ - begin_));
    file_.read<std::byte>("panels", begin_, batch_.panels);
    std::ranges::move(to_blocks(batch_), std::back_inserter(stored));
    batch_ = {};
    begin_ = end_;
  }

  storage::Hdf5Reader file_;
  const MatrixHead& head_;
  const Offset total_;
  Index last_number_ = 0;
  BlockBatch batch_;  // of panels [begin_, end_), still to be read
  Offset begin_ = 0, end_ = 0;
};

// The blocks in a rank's share of all bytes.
std::vector<StoredBlock> read_share(const std::filesystem::path& folder, const MatrixHead& head, Index rank,
                                    Index ranks) {
  const auto total = std::accumulate(head.panel_bytes.begin(), head.panel_bytes.end(), Offset{0});
  const auto owner = [&](Offset byte) {
    return static_cast<Index>(std::min(double(byte) / std::max(double(total), 1.0) * ranks, ranks - 1.0));
  };
  std::vector<StoredBlock> stored;
  Offset before = 0;
  for (std::size_t writer = 0; writer < head.panel_bytes.size(); ++writer) {
    const Offset end = before + head.panel_bytes[writer];
    if (owner(before) <= rank && rank <= owner(end))
      BlockReader(blocks_file(folder, writer), head, end - before)
          .read([&](Offset at) { return owner(before + at) == rank; }, stored);
    before = end;
  }
  return stored;
}

MatrixHead read_index(const std::filesystem::path& folder, const std::string& scalar) {
  if (std::filesystem::is_regular_file(folder))
    throw InputError(folder, 0, "it is a file, as older versions saved, and not a folder",
                     index_format.remedy);
  return read_head(storage::Hdf5Reader(folder / storage::index_of_folder, index_format), scalar);
}

void write_index(OutputFolder& folder, const std::string& scalar, const MatrixHead& head) {
  OutputFile output(folder.temporary() / storage::index_of_folder);
  storage::Hdf5Writer file(output, index_format);
  write_head(file, scalar, head);
  file.commit();
  folder.commit();
}

}  // namespace

std::string foreign_to_matrix(const std::filesystem::path& folder) {
  return storage::foreign_file(folder, index_format, {"blocks"});
}

template <Scalar T>
void save_blocks(const mpi::Communicator& comm, const CompressedBlocks<T>& blocks, OutputFolder* folder) {
  mpi::revoke_on_error(comm, [&] {
    std::string temporary, identity;
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() != 0) return;
      temporary = folder->temporary();
      std::random_device random;
      identity = fmt::format("{:08x}{:08x}", random(), random());
    });
    comm.broadcast(temporary);
    comm.broadcast(identity);
    mpi::agree_on_error(
        comm, [&] { write_blocks(blocks_file(temporary, usize(comm.rank())), identity, blocks.stored); });
    const auto panel_bytes = comm.gather(bytes_of(blocks.stored));
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() == 0)
        write_index(*folder, scalar_name<T>(),
                    {blocks.tree, blocks.options, blocks.row_blocks, identity, panel_bytes});
    });
  });
}

template <Scalar T>
CompressedBlocks<T> load_blocks(const mpi::Communicator& comm, const std::filesystem::path& folder) {
  return mpi::revoke_on_error(comm, [&] {
    const auto start = Clock::now();
    MatrixHead head;
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() == 0) head = read_index(folder, scalar_name<T>());
    });
    comm.broadcast(head.options);
    comm.broadcast(head.tree.order);
    comm.broadcast(head.tree.cluster);
    comm.broadcast(head.row_blocks.begin);
    comm.broadcast(head.identity);
    comm.broadcast(head.panel_bytes);
    CompressedBlocks<T> blocks;
    mpi::agree_on_error(comm, [&] {
      blocks.stored = read_share(folder, head, comm.rank(), comm.size());
      blocks.leaves = make_blocks(head.tree, head.options.blocks);
      if (!blocks.stored.empty() && usize(blocks.stored.back().number) >= blocks.leaves.size())
        throw InputError(folder, 0, "its blocks do not match its cluster tree", index_format.remedy);
    });
    blocks.tree = std::move(head.tree);
    blocks.options = head.options;
    blocks.row_blocks = std::move(head.row_blocks);
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

#define INSTANTIATE(T)                                                                            \
  template void save_blocks(const mpi::Communicator&, const CompressedBlocks<T>&, OutputFolder*); \
  template CompressedBlocks<T> load_blocks(const mpi::Communicator&, const std::filesystem::path&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
