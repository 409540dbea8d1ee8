#include "studies/himv/launch_plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "trisweep/core/error.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/lowrank/packed_panel.hpp"

namespace trisweep::studies {
namespace {

using device::Gemv;
using device::GemvKind;
using device::GemvRows;
using device::GemvTasks;
using device::Range;

constexpr auto table_of_orders = std::to_array<NamedGemvChoice<GemvOrder>>({
    {"none", GemvOrder::as_they_come},
    {"rows", GemvOrder::rows},
    {"rows-in-eights", GemvOrder::rows_in_eights},
});
constexpr auto table_of_cuts = std::to_array<NamedGemvChoice<GemvCut>>({
    {"count", GemvCut::count},
    {"row-ranges", GemvCut::row_ranges},
});
constexpr auto table_of_sums = std::to_array<NamedGemvChoice<GemvSum>>({
    {"atomic", GemvSum::atomic},
    {"row-blocks", GemvSum::row_blocks},
});

Index up(Index count, Index by) {
  return (count + by - 1) / by;
}

// Number of groups that a panel occupies: one for each column of P^T, or one lane for each row of P.
Index groups_of(const Gemv& g) {
  return std::min(most_groups, g.is_transposed() ? g.outputs() : up(g.outputs(), slab_rows));
}
Index parts_of(const Gemv& g) {
  return g.is_transposed() ? 1 : up(g.outputs(), rows_of_part);
}
Offset threads_of(const Gemv& g) {
  return g.is_transposed() ? Offset{slab_rows} * g.outputs() : g.outputs();
}

void sort(std::span<Gemv> list, GemvOrder order) {
  const auto eight = [](const Gemv& g) { return (g.outputs() - 1) / 8; };
  switch (order) {
    case GemvOrder::as_they_come:
      return;
    case GemvOrder::rows:
      std::ranges::stable_sort(list, {}, [](const Gemv& g) { return g.outputs(); });
      return;
    case GemvOrder::rows_in_eights:
      std::ranges::stable_sort(list, {}, [&](const Gemv& g) { return std::pair(eight(g), g.inputs()); });
      return;
  }
}

// Index of the range of rows: up to 8, 32, 64, 96, ...
Index row_range(const Gemv& g) {
  const Index rows = g.outputs();
  return rows < 8 ? 0 : 1 + rows / slab_rows;
}

class Planner {
 public:
  Planner(const GemvTasks& tasks, const GemvOptions& options) : tasks_(tasks), options_(options) {}

  LaunchPlan make() && {
    if (options_.merged || options_.sum == GemvSum::row_blocks) {
      static_cast<device::GemvPlan&>(plan_) = device::make_gemv_plan(tasks_);
      if (!options_.merged) add_batches_of_row_blocks();
    } else {
      take_tasks();
      add_left(GemvKind::rows_of_x);
      const auto first_type = static_cast<Index>(plan_.gemv.size());
      add_left(GemvKind::rows_of_sums);
      add_batches({0, first_type}, false);
      add_batches({first_type, static_cast<Index>(plan_.gemv.size())}, true);
    }
    return std::move(plan_);
  }

 private:
  void take_tasks() {
    plan_.panels = tasks_.panels;
    plan_.columns = tasks_.columns;
    plan_.rows = tasks_.rows;
    plan_.sums = tasks_.sums;
    plan_.gemv = tasks_.right;
  }

  void add_left(GemvKind kind) {
    std::ranges::copy_if(tasks_.left, std::back_inserter(plan_.gemv),
                         [&](const Gemv& g) { return g.kind == kind; });
  }

  void add_batches_of_row_blocks() {
    std::ranges::copy(tasks_.right, plan_.gemv.begin());  // in the order in which batches are cut
    add_batches(plan_.right, false);
    if (!plan_.row_block.empty())
      plan_.batch.push_back(
          {.gemv = {0, static_cast<Index>(plan_.row_block.size())}, .of_row_blocks = true, .of_left = true});
  }

  // Adds batches of panels that do not wait for each other.
  void add_batches(Range of, bool of_left) {
    sort(std::span(plan_.gemv).subspan(usize(of.begin), usize(of.end - of.begin)), options_.order);
    Index stream = 0;
    for (Index begin = of.begin; begin < of.end;) {
      const Index end = end_of_batch(begin, of.end);
      GemvBatch batch{.gemv = {begin, end}, .of_left = of_left, .parts = 0, .groups = 0, .stream = stream};
      for (Index i = begin; i < end; ++i) fit(batch, plan_.gemv[usize(i)]);
      plan_.batch.push_back(batch);
      stream = (stream + 1) % options_.streams;
      begin = end;
    }
  }

  static void fit(GemvBatch& batch, const Gemv& g) {
    batch.parts = std::max(batch.parts, parts_of(g));
    batch.groups = std::max(batch.groups, groups_of(g));
    PanelShape& largest = batch.largest[g.is_transposed() ? 1 : 0];
    largest.rows = std::max(largest.rows, g.rows);
    largest.cols = std::max(largest.cols, g.cols);
  }

  Index end_of_batch(Index begin, Index last) const {
    const Index most = last - begin < options_.count ? last : begin + options_.count;
    if (options_.cut == GemvCut::count) return most;
    Index end = begin + 1;
    while (end < most && row_range(plan_.gemv[usize(end)]) == row_range(plan_.gemv[usize(begin)])) ++end;
    return end;
  }

  const GemvTasks& tasks_;
  const GemvOptions& options_;
  LaunchPlan plan_;
};

// Appends the panel in full precision, padded with zeros below and to the right.
template <Scalar T>
void append_padded(const std::byte* panel, const Gemv& g, PanelShape shape, std::vector<std::byte>& bytes) {
  using Number = device::NumberOf<T>;
  std::vector<T> padded(usize(shape.rows) * usize(shape.cols));
  device::for_each_column<Number>(panel, [&](Index j, const device::PackedColumn<Number>& column) {
    auto* const to = reinterpret_cast<Number*>(padded.data()) + usize(j) * usize(shape.rows);
    for (Index i = 0; i < g.rows; ++i) to[i] = device::times(column.step(), column(i));
  });
  lowrank::pack_block(numeric::View<const T>{padded.data(), shape.rows, shape.cols, shape.rows}, 0,
                      lowrank::Precision::full, bytes);
}

}  // namespace

std::span<const NamedGemvChoice<GemvOrder>> gemv_orders() {
  return table_of_orders;
}
std::span<const NamedGemvChoice<GemvCut>> gemv_cuts() {
  return table_of_cuts;
}
std::span<const NamedGemvChoice<GemvSum>> gemv_sums() {
  return table_of_sums;
}

LaunchPlan make_launch_plan(const GemvTasks& tasks, const GemvOptions& options) {
  if (options.padded && (options.merged || options.sum == GemvSum::row_blocks))
    throw Error(ErrorKind::usage, "blocks of rows are summed from panels as they are",
                "pad panels that are added by atomic operations, in batches");
  LaunchPlan plan = Planner(tasks, options).make();
  plan.is_padded = options.padded;
  plan.is_merged = options.merged;
  for (const GemvBatch& batch : plan.batch) {
    for (const PanelShape& shape : batch.largest)
      if (plan.is_padded) plan.slack = std::max({plan.slack, shape.rows, shape.cols});
  }
  return plan;
}

template <Scalar T>
void store_padded(LaunchPlan& plan) {
  for (const GemvBatch& batch : plan.batch) {
    for (Index i = batch.gemv.begin; i < batch.gemv.end; ++i) {
      Gemv& g = plan.gemv[usize(i)];
      const std::size_t at = plan.padded_panels.size();
      append_padded<T>(plan.panels.data() + g.panel, g, batch.largest[g.is_transposed() ? 1 : 0],
                       plan.padded_panels);
      g.panel = at;
    }
  }
}

GemvCounts& GemvCounts::operator+=(const GemvCounts& other) {
  for (Offset GemvCounts::*const count :
       {&GemvCounts::panels, &GemvCounts::launches, &GemvCounts::blocks, &GemvCounts::idle_blocks,
        &GemvCounts::threads, &GemvCounts::idle_threads, &GemvCounts::numbers, &GemvCounts::padding})
    this->*count += other.*count;
  return *this;
}

GemvCounts count_gemv(const LaunchPlan& plan) {
  GemvCounts counts{.panels = std::ssize(plan.gemv), .launches = plan.is_merged ? 1 : std::ssize(plan.batch)};
  for (const Gemv& g : plan.gemv) counts.numbers += Offset{g.rows} * g.cols;
  const auto add = [&](Offset blocks, Offset used, Offset threads, Offset busy) {
    counts.blocks += blocks;
    counts.idle_blocks += blocks - used;
    counts.threads += threads;
    counts.idle_threads += threads - busy;
  };
  for (const GemvBatch& batch : plan.batch) {
    for (Index i = batch.gemv.begin; i < batch.gemv.end; ++i) {
      if (batch.of_row_blocks) {
        const Range rows = plan.row_block[usize(i)].rows;
        const Index height = rows.end - rows.begin;
        add(1, 1, Offset{up(height, rows_of_part)} * rows_of_part, height);
        continue;
      }
      const Gemv& g = plan.gemv[usize(i)];
      add(batch.parts, parts_of(g), Offset{batch.parts} * batch.groups * slab_rows, threads_of(g));
      const PanelShape& shape = batch.largest[g.is_transposed() ? 1 : 0];
      if (plan.is_padded) counts.padding += Offset{shape.rows} * shape.cols - Offset{g.rows} * g.cols;
    }
  }
  counts.numbers += counts.padding;
  return counts;
}

#define INSTANTIATE(T) template void store_padded<T>(LaunchPlan&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
