#include "trisweep/hmatrix/matrix_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "trisweep/core/named.hpp"
#include "trisweep/core/permutation.hpp"

namespace trisweep::hmatrix {
namespace {

constexpr Index cluster_fields = 4;  // begin, end, left, right
constexpr Index box_fields = 6;      // low, high

template <class Row, class Choice>
std::string name_in(std::span<const Row> table, Choice Row::*choice, Choice chosen) {
  const auto row = std::ranges::find(table, chosen, choice);
  return std::string(row->name);
}

// Children come after their parents.
bool is_sound(const ClusterTree& tree, Index at) {
  const Cluster& c = tree.cluster[usize(at)];
  const auto count = static_cast<Index>(tree.cluster.size());
  if (c.begin < 0 || c.end < c.begin || c.end > tree.size()) return false;
  return (c.left == -1 && c.right == -1) ||
         (at < c.left && c.left < count && at < c.right && c.right < count);
}

bool is_sound(const MatrixHead& head) {
  const std::vector<Index>& row_block = head.row_blocks.begin;
  return is_permutation(head.tree.order) && !row_block.empty() && std::ranges::is_sorted(row_block) &&
         row_block.front() == 0 && row_block.back() == head.tree.size() &&
         std::ranges::all_of(head.panel_bytes, [](Offset bytes) { return bytes >= 0; }) &&
         std::ranges::all_of(std::views::iota(Index{0}, static_cast<Index>(head.tree.cluster.size())),
                             [&](Index at) { return is_sound(head.tree, at); });
}

}  // namespace

void write_head(storage::Hdf5Writer& file, const std::string& scalar, const MatrixHead& head) {
  const auto& [tree, options, row_blocks, identity, panel_bytes] = head;
  const BlockCompression& how = options.compression;
  file.text("identity", identity);
  file.text("scalar", scalar);
  file.number("eta", options.blocks.eta);
  file.number("least_side", options.blocks.least_side);
  file.number("block_rows", options.block_rows);
  file.number("eps", how.eps);
  file.number("most_rank", how.most_rank);
  file.number("recompressed", how.recompress ? 1 : 0);
  file.text("cross", name_in(lowrank::crosses(), &lowrank::NamedCross::method, how.cross));
  file.text("precision", name_in(lowrank::precisions(), &lowrank::NamedPrecision::precision, how.precision));
  std::vector<Index> cluster;
  std::vector<double> box;
  for (const Cluster& c : tree.cluster) {
    cluster.insert(cluster.end(), {c.begin, c.end, c.left, c.right});
    box.insert(box.end(), c.low.begin(), c.low.end());
    box.insert(box.end(), c.high.begin(), c.high.end());
  }
  file.list<Index>("order", tree.order);
  file.list<Index>("cluster", cluster);
  file.list<double>("box", box);
  file.list<Index>("row_block", row_blocks.begin);
  file.list<Offset>("panel_bytes", panel_bytes);
}

MatrixHead read_head(const storage::Hdf5Reader& file, const std::string& scalar) {
  if (file.text("scalar") != scalar)
    file.refuse(fmt::format("a matrix of {} numbers, not {}", file.text("scalar"), scalar));
  MatrixHead head;
  head.identity = file.text("identity");
  head.panel_bytes = file.list<Offset>("panel_bytes");
  head.options.blocks = {.eta = file.number("eta"),
                         .least_side = static_cast<Index>(file.number("least_side"))};
  head.options.block_rows = static_cast<Index>(file.number("block_rows"));
  head.options.compression = {
      .eps = file.number("eps"),
      .cross = find_named(lowrank::crosses(), "cross", file.text("cross")).method,
      .recompress = file.number("recompressed") != 0,
      .precision = find_named(lowrank::precisions(), "precision", file.text("precision")).precision,
      .most_rank = static_cast<Index>(file.number("most_rank"))};
  head.tree.order = file.list<Index>("order");
  head.row_blocks.begin = file.list<Index>("row_block");
  const auto cluster = file.list<Index>("cluster");
  const auto box = file.list<double>("box");
  const std::size_t clusters = cluster.size() / usize(cluster_fields);
  const bool even =
      cluster.size() == clusters * usize(cluster_fields) && box.size() == clusters * usize(box_fields);
  for (std::size_t c = 0; even && c < clusters; ++c) {
    const Index* const f = &cluster[c * usize(cluster_fields)];
    const double* const b = &box[c * usize(box_fields)];
    head.tree.cluster.push_back({f[0], f[1], {b[0], b[1], b[2]}, {b[3], b[4], b[5]}, f[2], f[3]});
  }
  if (!even || !is_sound(head)) file.refuse("its description of the matrix is inconsistent");
  return head;
}

}  // namespace trisweep::hmatrix
