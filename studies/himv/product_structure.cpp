#include "studies/himv/product_structure.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace trisweep::studies {
namespace {

using device::Gemv;
using device::GemvKind;

// Calls visit(row block, first row, end) for the parts of row blocks that are in rows [row, row_end).
template <class Visit>
void for_each_row_block(const hmatrix::RowBlocks& row_blocks, Index row, Index row_end, const Visit& visit) {
  for (Index at = row; at < row_end;) {
    const Index row_block = row_blocks.of(at);
    const Index last = std::min(row_end, row_blocks.begin[usize(row_block) + 1]);
    visit(row_block, at, last);
    at = last;
  }
}

// Vector values that a product moves in addition to its panel.
double vector_numbers(const Gemv& g) {
  return g.inputs() + (g.is_transposed() ? 1.0 : 2.0) * g.outputs();
}

void add_part(Launch& launch, const Gemv& g, double numbers, double bytes_of_number) {
  launch.bytes.push_back(static_cast<float>(numbers * bytes_of_number + vector_numbers(g) * sizeof(double)));
}

void add_panel(Launch& launch, const LaunchPlan& plan, const GemvBatch& batch, const Gemv& g,
               double bytes_of_number) {
  const auto& padded = batch.largest[g.is_transposed() ? 1 : 0];
  const Index rows = plan.is_padded ? padded.rows : g.rows, cols = plan.is_padded ? padded.cols : g.cols;
  for (Index part = 0; part < batch.parts; ++part) {
    const Index begin = part * rows_of_part;
    if (g.is_transposed() ? part > 0 : begin >= rows) {
      launch.bytes.push_back(0);
    } else {
      const Index height = g.is_transposed() ? rows : std::min(rows_of_part, rows - begin);
      add_part(launch, g, double(height) * cols, bytes_of_number);
    }
  }
}

void add_row_block(Launch& launch, const LaunchPlan& plan, const device::GemvRows& row_block,
                   double bytes_of_number) {
  double bytes = 0;
  for (const device::Range& range : {row_block.dense, row_block.low_rank}) {
    for (Index i = range.begin; i < range.end; ++i) {
      const Gemv& g = plan.gemv[usize(i)];
      bytes += double(g.rows) * g.cols * bytes_of_number + g.inputs() * double(sizeof(double));
    }
  }
  launch.bytes.push_back(static_cast<float>(bytes));
}

}  // namespace

std::vector<double> ProductLayout::numbers() const {
  std::vector<double> sum(usize(row_blocks.count()));
  for (const hmatrix::Block& block : blocks) {
    const hmatrix::Cluster &rows = tree.cluster[usize(block.row)], &cols = tree.cluster[usize(block.col)];
    for_each_row_block(row_blocks, rows.begin, rows.end, [&](Index row_block, Index row, Index row_end) {
      const double height = row_end - row;
      sum[usize(row_block)] +=
          block.admissible ? rank * height * (1 + double(cols.size()) / rows.size()) : height * cols.size();
    });
  }
  return sum;
}

device::GemvTasks ProductLayout::tasks(Index first, Index end) const {
  const Index row_begin = row_blocks.begin[usize(first)], rows_end = row_blocks.begin[usize(end)];
  device::GemvTasks tasks{.columns = tree.size(), .rows = rows_end - row_begin};
  std::size_t at = 0;
  const auto place = [&](Index rows, Index cols) {
    return std::exchange(at, at + usize(rows) * usize(cols) * sizeof(double));
  };
  std::vector<std::array<std::vector<Gemv>, 2>> of_row_block(usize(end - first));  // dense, and U
  for (const hmatrix::Block& block : blocks) {
    const hmatrix::Cluster &rows = tree.cluster[usize(block.row)], &cols = tree.cluster[usize(block.col)];
    const Index top = std::max(rows.begin, row_begin), bottom = std::min(rows.end, rows_end);
    if (top >= bottom) continue;
    const Index width = block.admissible ? rank : cols.size();
    const Index source = block.admissible ? tasks.sums : cols.begin;
    if (block.admissible) {
      tasks.right.push_back(
          {place(cols.size(), rank), GemvKind::sums_of_x, cols.size(), rank, cols.begin, source});
      tasks.sums += rank;
    }
    const auto kind = block.admissible ? GemvKind::rows_of_sums : GemvKind::rows_of_x;
    for_each_row_block(row_blocks, top, bottom, [&](Index row_block, Index row, Index row_end) {
      of_row_block[usize(row_block - first)][block.admissible ? 1 : 0].push_back(
          {place(row_end - row, width), kind, row_end - row, width, source, row - row_begin});
    });
  }
  for (Index row_block = first; row_block < end; ++row_block) {
    const auto add = [&](const std::vector<Gemv>& list) {
      const auto begin = static_cast<Index>(tasks.left.size());
      tasks.left.insert(tasks.left.end(), list.begin(), list.end());
      return device::Range{begin, static_cast<Index>(tasks.left.size())};
    };
    const auto& [dense, low_rank] = of_row_block[usize(row_block - first)];
    const device::Range rows{row_blocks.begin[usize(row_block)] - row_begin,
                             row_blocks.begin[usize(row_block) + 1] - row_begin};
    const device::Range of_dense = add(dense);
    tasks.row_block.push_back({rows, of_dense, add(low_rank)});
  }
  return tasks;
}

std::vector<Index> cut_evenly(const std::vector<double>& weight, Index parts) {
  const double all = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<Index> cut{0};
  double sum = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    sum += weight[i];
    while (std::ssize(cut) < parts && sum >= all * double(cut.size()) / parts)
      cut.push_back(static_cast<Index>(i) + 1);
  }
  cut.resize(usize(parts) + 1, static_cast<Index>(weight.size()));
  return cut;
}

std::vector<Launch> launches_of(const LaunchPlan& plan, double bytes_of_number) {
  std::vector<Launch> launches;
  for (const GemvBatch& batch : plan.batch) {
    Launch& launch = launches.emplace_back(Launch{
        .threads = double(batch.groups) * slab_rows, .stream = batch.stream, .type = batch.of_left ? 1 : 0});
    for (Index i = batch.gemv.begin; i < batch.gemv.end; ++i) {
      if (batch.of_row_blocks) {
        add_row_block(launch, plan, plan.row_block[usize(i)], bytes_of_number);
      } else {
        add_panel(launch, plan, batch, plan.gemv[usize(i)], bytes_of_number);
      }
    }
  }
  if (!plan.is_merged) return launches;
  Launch& merged = launches.emplace_back();
  for (Index i = plan.right.begin; i < plan.right.end; ++i) {
    const Gemv& g = plan.gemv[usize(i)];
    add_part(merged, g, double(g.rows) * g.cols, bytes_of_number);
  }
  for (const device::GemvRows& row_block : plan.row_block)
    add_row_block(merged, plan, row_block, bytes_of_number);
  return launches;
}

}  // namespace trisweep::studies
