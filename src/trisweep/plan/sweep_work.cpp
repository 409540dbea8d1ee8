#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "trisweep/core/slabs.hpp"
#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

// 16 kB, which take a few microseconds to read.
constexpr Offset outer_entries = 2048;
constexpr Offset diagonal_entries = 2048;

class WorkList {
 public:
  WorkList(const RankSweep& sweep, const Subtrees& subtrees)
      : sweep_(sweep), local_blocks_(sweep.local_blocks), side_(sweep.side()), subtrees_(subtrees) {
    list_.divided = decltype(list_.divided)(usize(sweep_.end()), 0);
    const auto applied =
        std::ranges::count_if(side_.supernode, [&](Index k) { return sweep_.trees.applied[usize(k)] != 0; });
    list_.row_block.reserve(usize(applied) * (sweep_.spec.diagonal.empty() ? 1 : 2));
  }

  void add_panels() {
    std::vector<PieceOfSubtree> interior;
    interior.reserve(usize(side_.pieces()));
    bool sorted = true;
    for (Index p = 0; p < side_.pieces(); ++p) {
      if (!sweep_.trees.applied[usize(side_.supernode[usize(p)])]) continue;
      if (const SegmentId s = sweep_.source(p); subtrees_.interior[s]) {
        const SegmentId root = subtrees_.root[s];
        sorted = sorted && (interior.empty() || !(root < interior.back().root));
        interior.push_back({root, p});
      } else {
        add_own(p);
      }
    }
    const auto root = &PieceOfSubtree::root;
    if (!sorted) std::ranges::stable_sort(interior, {}, root);
    for (auto first = interior.begin(); first != interior.end();) {
      const auto last = std::ranges::find_if(
          first, interior.end(), [&](SegmentId other) { return other != first->root; }, root);
      add_subtree(first->root, {first, last});
      first = last;
    }
  }

  // Adds the products with inverted diagonal blocks of interior segments that the description asks for. They
  // are done when there is nothing else to do, and are few per task, because messages wait for the end of a
  // task. Tiles are left out, interior or not: their blocks belong to the product.
  void add_diagonal() {
    const auto& side = local_blocks_.diagonal;
    std::map<SegmentId, Chunk> last_chunk;  // by subtree
    SegmentId subtree = no_segment;
    Chunk* chunk = nullptr;  // of it
    if (sweep_.spec.diagonal.empty()) return;
    for (Index p = 0; p < side.pieces(); ++p) {
      const SegmentId s = sweep_.segments.number(side.segment[usize(p)]);
      const Index k = side.supernode[usize(p)];
      const bool asked_for =
          s != no_segment && sweep_.spec.panels.contains(k) && sweep_.spec.diagonal.contains(k);
      if (!asked_for || !subtrees_.interior[s] || sweep_.structure.is_tile(k)) continue;
      const Index width = sweep_.width(s);
      const SegmentId root = subtrees_.root[s];
      const bool switches = std::exchange(subtree, root) != root;
      if (switches) {
        chunk = &last_chunk[root];
        list_.divided[root] = 1;
      }
      const bool is_full = chunk->entries >= diagonal_entries;
      if (is_full) *chunk = {chunk->number + 1, 0};
      chunk->entries += Offset{width} * width;
      const RowBlock row_block = row_block_of(local_blocks_, side, p, {0, width});
      if (switches || is_full) {
        add({sweep_.end(), TaskKind::diagonal, root, chunk->number}, row_block);
      } else {
        list_.row_block.push_back(row_block);
        ++list_.work.back().end;
      }
    }
  }

  // A gather sweep runs backward; last in it is what no other rank waits for: cores, and before them their
  // outer rows. A product runs backward, too: what the next sweep begins with comes first.
  SweepWork in_order() && {
    const bool backward = !sweep_.scatters() || sweep_.is_product();
    const auto earlier = [&](const Work& a, const Work& b) {
      if (backward && a.kind != b.kind) return a.kind < b.kind;
      return a.place() < b.place();
    };
    if (!std::ranges::is_sorted(list_.work, earlier)) {
      std::ranges::stable_sort(list_.work, earlier);
      regroup();
    }
    if (backward) reverse();
    return std::move(list_);
  }

 private:
  struct PieceOfSubtree {
    SegmentId root;
    Index piece;
  };
  struct Chunk {
    Index number = 0;
    Offset entries = 0;
  };

  void add(const Work& task, const RowBlock& row_block) {
    const auto at = static_cast<Index>(list_.row_block.size());
    list_.row_block.push_back(row_block);
    if (list_.work.empty() || list_.work.back().place() != task.place()) {
      list_.work.push_back(task);
      list_.work.back().begin = at;
    }
    list_.work.back().end = at + 1;
  }

  // Puts row blocks in the order of the tasks, and merges tasks with the same place().
  void regroup() {
    std::vector<Work> work;
    std::vector<RowBlock> row_block;
    std::swap(work, list_.work);
    std::swap(row_block, list_.row_block);
    list_.row_block.reserve(row_block.size());
    for (const Work& part : work) {
      for (Index i = part.begin; i < part.end; ++i) add(part, row_block[usize(i)]);
    }
  }

  void reverse() {
    std::ranges::reverse(list_.work);
    std::ranges::reverse(list_.row_block);
    const auto row_blocks = static_cast<Index>(list_.row_block.size());
    for (Work& task : list_.work)
      std::tie(task.begin, task.end) = std::pair(row_blocks - task.end, row_blocks - task.begin);
  }

  RowBlock row_block(Index p, Index begin, Index end) const {
    return row_block_of(local_blocks_, side_, p, {begin, end});
  }
  Offset entries(Index p) const { return side_.value_ptr[usize(p) + 1] - side_.value_ptr[usize(p)]; }

  // Adds one row block, or several of whole slabs if the piece is larger than a grain.
  void add_own(Index p) {
    const SegmentId s = sweep_.source(p);
    const Index height = side_.height(p);
    const Index slabs = (height + slab_rows - 1) / slab_rows;
    const Offset grain = sweep_.accumulation.grain;
    const bool is_cut = sweep_.ordered() && grain != grain_of_supernodes;
    const Offset wanted = is_cut ? (entries(p) + grain - 1) / grain : 1;
    const auto row_blocks = static_cast<Index>(std::clamp<Offset>(wanted, 1, std::max(slabs, Index{1})));
    for (Index i = 0; i < row_blocks; ++i) {
      const auto begin = static_cast<Index>(Offset{slabs} * i / row_blocks) * slab_rows;
      const auto end = static_cast<Index>(Offset{slabs} * (i + 1) / row_blocks) * slab_rows;
      add({s, TaskKind::own, no_segment, i}, row_block(p, begin, std::min(end, height)));
    }
  }

  void add_subtree(SegmentId root, std::span<const PieceOfSubtree> pieces) {
    const std::vector<SegmentId> cuts = outer_runs(root, pieces);
    if (cuts.empty()) {
      const auto at = static_cast<Index>(list_.row_block.size());
      for (const auto& [of, p] : pieces) list_.row_block.push_back(row_block(p, 0, side_.height(p)));
      list_.work.push_back({root, TaskKind::core, root, 0, at, at + static_cast<Index>(pieces.size())});
      return;
    }
    list_.divided[root] = 1;
    for (const auto& [of, p] : pieces) {
      Index begin = 0, row = 0;
      std::size_t run = 0;
      const auto add_run = [&] {
        if (row > begin && run == 0) add({root, TaskKind::core, root, 0}, row_block(p, begin, row));
        if (row > begin && run > 0) add({cuts[run - 1], TaskKind::outer, root, 0}, row_block(p, begin, row));
        begin = row;
      };
      for (const distribution::PieceBlock& block : side_.blocks(p)) {
        for (; run < cuts.size() && sweep_.of_rows(block) >= cuts[run]; ++run) add_run();
        row += block.end - block.begin;
      }
      add_run();
    }
  }

  // Divides the rows of a subtree's panels outside of it into runs of segments that are each worth a task.
  // Returns the first segments of the second and later runs; the first run is part of the core. An ordered
  // sweep has no outer runs: their sums would need cells.
  std::vector<SegmentId> outer_runs(SegmentId root, std::span<const PieceOfSubtree> pieces) const {
    std::vector<SegmentId> cuts;
    if (sweep_.ordered() || sweep_.is_tree(root)) return cuts;
    std::map<SegmentId, Offset> outside;
    for (const auto& [of, p] : pieces) {
      for (const distribution::PieceBlock& block : side_.blocks(p)) {
        if (const SegmentId s = sweep_.of_rows(block); !subtrees_.interior[s])
          outside[s] += Offset{block.end - block.begin} * sweep_.width(sweep_.source(p));
      }
    }
    Offset run = 0;
    for (const auto& [segment, size] : outside) {
      if (run >= outer_entries) {
        cuts.push_back(segment);
        run = 0;
      }
      run += size;
    }
    return cuts;
  }

  const RankSweep& sweep_;
  const distribution::LocalBlocks& local_blocks_;
  const distribution::LocalSide& side_;
  const Subtrees& subtrees_;
  SweepWork list_;
};

}  // namespace

SweepWork list_work(const RankSweep& sweep, const Subtrees& subtrees) {
  WorkList list(sweep, subtrees);
  list.add_panels();
  list.add_diagonal();
  return std::move(list).in_order();
}

}  // namespace trisweep::plan
