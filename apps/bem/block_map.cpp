#include "apps/bem/block_map.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trisweep::bem {
namespace {

constexpr double side = 1000;  // side of the matrix, in units of the picture
constexpr double margin = 60;  // for the legend
constexpr double text_size = 20;

// From light blue, of rank 0, to dark blue.
std::string colour_of(Index rank, Index largest) {
  if (rank == hmatrix::StoredBlock::dense) return "#c0392b";
  const double dark = double(rank) / std::max(largest, 1);
  const auto between = [&](int light, int full) { return light + static_cast<int>(dark * (full - light)); };
  return fmt::format("#{:02x}{:02x}{:02x}", between(0xe3, 0x08), between(0xee, 0x30), between(0xf9, 0x6b));
}

std::string rectangle(double x, double y, double width, double height, const std::string& colour) {
  return fmt::format("<rect x=\"{:.7g}\" y=\"{:.7g}\" width=\"{:.7g}\" height=\"{:.7g}\" fill=\"{}\"/>\n", x,
                     y, width, height, colour);
}

std::string legend(Index largest) {
  std::string text;
  double x = 0;
  const auto add = [&](Index rank, const std::string& words) {
    text += rectangle(x, side + margin / 3, margin / 2, margin / 2, colour_of(rank, largest));
    x += margin / 2 + 8;
    text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-family=\"sans-serif\">{}</text>\n", x,
                        side + margin / 3 + text_size, text_size, words);
    // Leaves more space than the text needs, since reports enlarge it on narrow pages.
    x += text_size * static_cast<double>(words.size()) + 24;
  };
  add(hmatrix::StoredBlock::dense, "dense");
  for (const Index rank : {0, largest / 4, largest / 2, largest}) add(rank, fmt::format("rank {}", rank));
  return text;
}

}  // namespace

std::string block_map(std::span<const MappedBlock> blocks, Index rows) {
  Index largest = 0;
  for (const auto& block : blocks) largest = std::max(largest, block.rank);
  const double unit = side / std::max(rows, 1);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-5 -5 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
      "<rect x=\"-5\" y=\"-5\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<g stroke=\"white\" stroke-width=\"0.3\">\n",
      side + 10, side + margin + 10);
  for (const auto& b : blocks)
    text += rectangle(b.col_begin * unit, b.row_begin * unit, (b.col_end - b.col_begin) * unit,
                      (b.row_end - b.row_begin) * unit, colour_of(b.rank, largest));
  return text + "</g>\n" + legend(largest) + "</svg>\n";
}

}  // namespace trisweep::bem
