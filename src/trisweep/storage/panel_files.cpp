#include "trisweep/storage/panel_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/engine/panel_columns.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::storage {
namespace {

using distribution::Side;
using engine::PanelColumns;
using symbolic::Structure;

constexpr FileFormat format{"panels of trisweep factors", 2, "make the factors again with trisweep factor"};
constexpr Offset window_entries = 1 << 17;  // read at once from a file: several of its chunks

std::filesystem::path path_of(const PanelFiles& files, Index number) {
  return files.folder / fmt::format("panels-{}.h5", number);
}

constexpr std::size_t at(Side side) {
  return static_cast<std::size_t>(side);
}
constexpr const char* name_of(Side side) {
  return side == Side::lower ? "lower" : side == Side::upper ? "upper" : "diagonal";
}

class WholePanels final : public distribution::Mapping {
 public:
  WholePanels(std::vector<Index> writer, Index ranks) : writer_(std::move(writer)), ranks_(ranks) {}
  Index ranks() const override { return ranks_; }
  Index layers() const override { return 1; }
  Index layer_of_rank(Index) const override { return 0; }
  distribution::LayerRange layers_of(Index) const override { return {0, 1}; }
  Index owner(Index, Side, Index, Index k) const override { return writer_[usize(k)]; }

 private:
  std::vector<Index> writer_;
  Index ranks_;
};

// Where the panels of a side are.
struct PanelOffsets {
  std::vector<Offset> begin;        // by supernode: where its panel begins in its file
  std::map<Index, Offset> entries;  // by file

  PanelOffsets(const SavedPanels& saved, Side side) : begin(usize(saved.structure.supernodes())) {
    const Structure& s = saved.structure;
    for (Index k = 0; k < s.supernodes(); ++k) {
      Offset& end = entries[saved.files.number[usize(k)]];
      begin[usize(k)] = end;
      end += Offset{s.width(k)} * (side == Side::diagonal ? s.width(k) : s.height(k));
    }
  }
};

// The entries of a list, requested in ascending order.
template <class S>
class Window {
 public:
  Window(const Hdf5Reader& file, const char* list, Offset entries)
      : file_(file), list_(list), entries_(entries) {
    if (file.size(list) != entries * Offset{sizeof(S)})
      file.refuse("its panels are not those of the index beside it");
  }

  // Entries [begin, end).
  const S* operator()(Offset begin, Offset end) {
    if (begin < begin_ || end > begin_ + std::ssize(values_)) {
      begin_ = begin;
      values_.resize(usize(std::min(entries_, std::max(end, begin + window_entries)) - begin));
      file_.read<std::byte>(list_, begin * Offset{sizeof(S)}, std::as_writable_bytes(std::span(values_)));
    }
    return values_.data() + (begin - begin_);
  }

 private:
  const Hdf5Reader& file_;
  const char* list_;
  Offset entries_;
  Offset begin_ = 0;
  std::vector<S> values_;
};

// Copies the rows `blocks` of the panel whose values begin at `begin` of the file into a piece.
template <class S>
void read_piece(Window<S>& window, Offset begin, const engine::PanelPlace& panel,
                std::span<const distribution::PieceBlock> blocks, const PanelColumns<S*>& piece) {
  const Index slabs = std::max(Index{1}, static_cast<Index>(window_entries / slab_rows / panel.width));
  Index to = 0;
  for (const distribution::PieceBlock& block : blocks) {
    for (Index row = block.begin; row < block.end;) {
      const Index first = row / slab_rows * slab_rows;  // successive slabs form a panel of fewer rows
      const Index needed = (block.end + slab_rows - 1) / slab_rows * slab_rows;
      const Index last = std::min({panel.height, needed, first + slabs * slab_rows});
      const Index rows = std::min(last, block.end) - row;
      const Offset width = panel.width;
      const S* const values = window(begin + first * width, begin + last * width);
      engine::copy_rows<S>({values, last - first, panel.width, panel.column}, row - first, piece, to, rows);
      row += rows;
      to += rows;
    }
  }
}

// The values of a rank's pieces that belong to one file; these pieces are consecutive.
template <class S>
std::span<const S> values_of(const PanelFiles& files, Index number, const distribution::LocalSide& side,
                             std::span<const S> values) {
  if (values.empty()) return {};  // U may be derived from L
  const auto file_of = [&](Index k) { return files.number[usize(k)]; };
  const auto pieces = std::ranges::equal_range(side.supernode, number, {}, file_of);
  const auto begin = side.value_ptr[usize(pieces.begin() - side.supernode.begin())];
  return values.subspan(usize(begin),
                        usize(side.value_ptr[usize(pieces.end() - side.supernode.begin())] - begin));
}

}  // namespace

std::vector<Index> numbered_files(const Structure& structure, std::span<const Index> writer,
                                  std::size_t value_bytes, std::size_t bytes_of_file) {
  struct Filling {
    Index number = -1;
    std::size_t bytes = 0;
  };
  std::map<Index, Filling> of_rank;
  std::vector<Index> number;
  Index files = 0;
  for (Index k = 0; k < structure.supernodes(); ++k) {
    Filling& file = of_rank[writer[usize(k)]];
    if (file.number < 0 || file.bytes >= bytes_of_file) file = {files++, 0};
    number.push_back(file.number);
    const auto width = usize(structure.width(k)), height = usize(structure.height(k));
    file.bytes += width * (width + 2 * height) * value_bytes;
  }
  return number;
}

distribution::Distribution distribution_of(std::vector<Index> writer, Index ranks,
                                           std::shared_ptr<const Structure> structure) {
  distribution::Distribution result;
  result.structure = std::move(structure);
  result.mapping = std::make_shared<const WholePanels>(std::move(writer), ranks);
  return result;
}

template <Scalar S>
void write_panels(const PanelFiles& files, const distribution::LocalBlocks& local_blocks,
                  const engine::PieceValues<S>& panels) {
  Index written = -1;
  for (const Index k : local_blocks.diagonal.supernode) {  // all that the rank has
    const Index number = files.number[usize(k)];
    if (number == std::exchange(written, number)) continue;
    OutputFile output(path_of(files, number));
    Hdf5Writer file(output, format);
    file.text("identity", files.identity);
    for (const Side side : distribution::sides)
      file.list<std::byte>(name_of(side), std::as_bytes(values_of<S>(files, number, local_blocks.side(side),
                                                                     panels.side[at(side)])));
    file.commit();
  }
}

void require_files(const PanelFiles& files) {
  for (const Index number : std::set<Index>(files.number.begin(), files.number.end())) {
    const auto file = path_of(files, number);
    if (!std::filesystem::exists(file)) throw InputError(file, 0, "it is missing", format.remedy);
  }
}

template <Scalar S>
engine::PieceValues<S> read_panels(const SavedPanels& saved, const distribution::Distribution& distribution,
                                   const distribution::LocalBlocks& local_blocks) {
  const Structure& tiles = *distribution.structure;
  auto values = std::make_shared<engine::SideValues<S>>();
  for (const Side side : distribution::sides) {
    if (side == Side::upper && !numeric::has_upper(saved.kind)) continue;
    const auto& part = local_blocks.side(side);
    const auto place = [&](Index p) {
      return engine::place_of_panel(tiles, side, part.supernode[usize(p)], saved.structure);
    };
    Buffer<S>& made = (*values)[at(side)];
    made = Buffer<S>(usize(part.value_ptr.back()), "this rank's part of the factors");
    const PanelOffsets offsets(saved, side);
    std::map<Index, std::vector<Index>> pieces;  // by file
    for (Index p = 0; p < part.pieces(); ++p) pieces[saved.files.number[usize(place(p).wide)]].push_back(p);
    for (const auto& [number, of_file] : pieces) {
      const Hdf5Reader file(path_of(saved.files, number), format);
      if (file.text("identity") != saved.files.identity)
        file.refuse("it does not belong to the index beside it");
      Window<S> window(file, name_of(side), offsets.entries.at(number));
      for (const Index p : of_file) {
        const engine::PanelPlace panel = place(p);
        read_piece<S>(
            window, offsets.begin[usize(panel.wide)], panel, part.blocks(p),
            {made.data() + part.value_ptr[usize(p)], part.height(p), tiles.width(part.supernode[usize(p)])});
      }
    }
  }
  return engine::PieceValues<S>(std::move(values));
}

#define INSTANTIATE(S)                                                                                  \
  template void write_panels(const PanelFiles&, const distribution::LocalBlocks&,                       \
                             const engine::PieceValues<S>&);                                            \
  template engine::PieceValues<S> read_panels<S>(const SavedPanels&, const distribution::Distribution&, \
                                                 const distribution::LocalBlocks&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::storage
