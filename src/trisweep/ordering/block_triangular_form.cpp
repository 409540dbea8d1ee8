#include "trisweep/ordering/block_triangular_form.hpp"

#include <algorithm>
#include <utility>

#include "trisweep/ordering/diagonal_blocks.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {
namespace {

template <Scalar T>
matrix::Pattern pattern_of_nonzeros(const matrix::Csr<T>& a) {
  matrix::Pattern nonzero{a.rows(), a.cols(), {0}, {}};
  nonzero.row_ptr.reserve(usize(a.rows()) + 1);
  nonzero.col.reserve(usize(a.nonzeros()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      if (a.value[usize(e)] != T{}) nonzero.col.push_back(a.pattern.col[usize(e)]);
    nonzero.row_ptr.push_back(std::ssize(nonzero.col));
  }
  return nonzero;
}

// By block: the number of blocks on the longest path from it to one that depends on no other.
std::vector<Index> levels_of(const DiagonalBlocks& blocks, const matrix::Pattern& a) {
  std::vector<Index> level(usize(blocks.count));
  for (const Index i : blocks.rows) {
    const Index here = blocks.of_row[usize(i)];
    for (const Index j : a.row(i)) {
      const Index there = blocks.of_col[usize(j)];
      if (there != here) level[usize(here)] = std::max(level[usize(here)], level[usize(there)] + 1);
    }
  }
  return level;
}

// By level: its rows.
std::vector<Index> rows_of_levels(const DiagonalBlocks& blocks, const std::vector<Index>& level) {
  std::vector<Index> rows(usize(level.empty() ? 0 : std::ranges::max(level) + 1));
  for (const Index block : blocks.of_row) ++rows[usize(level[usize(block)])];
  return rows;
}

// The stage of each level, if only levels of many rows have stages of their own: each stage is a pass over
// the vectors.
std::vector<Index> few_stages(const std::vector<Index>& rows, Index n) {
  constexpr Index most = 10;
  const auto is_heavy = [&](std::size_t level) { return rows[level] >= (n - 1) / most + 1; };
  std::vector<Index> stage{0};
  for (std::size_t level = 1; level < rows.size(); ++level)
    stage.push_back(stage.back() + (is_heavy(level) || is_heavy(level - 1) ? 1 : 0));
  return stage;
}

// The same, for at most `most` stages of about as many rows each.
std::vector<Index> even_stages(const std::vector<Index>& rows, Index n, Index most) {
  std::vector<Index> stage{0};
  Index in_stage = rows.front();
  for (std::size_t level = 1; level < rows.size(); ++level) {
    const bool is_full = Offset{in_stage} * most >= n;
    stage.push_back(stage.back() + (is_full ? 1 : 0));
    in_stage = rows[level] + (is_full ? 0 : in_stage);
  }
  return stage;
}

BlockTriangularForm form_of(const matrix::Pattern& a, const DiagonalBlocks& blocks,
                            const std::vector<Index>& level, const std::vector<Index>& stage) {
  BlockTriangularForm form{.stages = stage.back() + 1};
  const auto stages_of = [&](const std::vector<Index>& block_of, std::vector<Index>& stage_of) {
    stage_of.resize(block_of.size());
    std::ranges::transform(block_of, stage_of.begin(),
                           [&](Index block) { return stage[usize(level[usize(block)])]; });
  };
  stages_of(blocks.of_row, form.row_stage);
  stages_of(blocks.of_col, form.col_stage);
  form.coupled.resize(usize(form.stages));
  for (Index i = 0; i < a.rows; ++i) {
    std::vector<Index>& coupled = form.coupled[usize(form.row_stage[usize(i)])];
    const Offset before = form.off_diagonal;
    for (const Index j : a.row(i)) {
      if (form.col_stage[usize(j)] == form.row_stage[usize(i)]) continue;
      ++form.off_diagonal;
      coupled.push_back(j);
    }
    if (form.off_diagonal > before) coupled.push_back(i);
  }
  for (std::vector<Index>& coupled : form.coupled) {
    std::ranges::sort(coupled);
    coupled.erase(std::ranges::unique(coupled).begin(), coupled.end());
  }
  return form;
}

// Floating-point operations of factoring what the form leaves of the matrix, ordered by minimum degree.
double flops_of(const matrix::Pattern& a, const DiagonalBlocks& blocks, const BlockTriangularForm& form) {
  matrix::Pattern diagonal{a.rows, a.cols, {0}, {}};
  for (Index i = 0; i < a.rows; ++i) {
    for (const Index j : a.row(i))
      if (form.col_stage[usize(j)] == form.row_stage[usize(i)])
        diagonal.col.push_back(blocks.row_of[usize(j)]);
    std::sort(diagonal.col.begin() + diagonal.row_ptr.back(), diagonal.col.end());
    diagonal.row_ptr.push_back(std::ssize(diagonal.col));
  }
  return order_by_minimum_degree(symmetrized(diagonal)).flops;
}

// Finds the form that costs least: each stage is an addition to plans and to solves, and levels that share a
// stage may fill each other.
class StageChoice {
 public:
  StageChoice(const matrix::Pattern& a, const DiagonalBlocks& blocks, std::vector<Index> level)
      : a_(a), blocks_(blocks), level_(std::move(level)), rows_(rows_of_levels(blocks, level_)) {}

  BlockTriangularForm cheapest() const {
    BlockTriangularForm best = form_of(a_, blocks_, level_, few_stages(rows_, a_.rows));
    double flops = unknown;
    for (const Index most : {32, 128}) {
      BlockTriangularForm other = form_of(a_, blocks_, level_, even_stages(rows_, a_.rows, most));
      const double stages = flops_of_stage() * (other.stages - best.stages);
      if (!may_fill(best, other)) break;
      if (flops == unknown) flops = flops_of(a_, blocks_, best);
      if (flops <= stages) break;
      const double left = flops_of(a_, blocks_, other);
      if (flops - left <= stages) break;
      best = std::move(other);
      best.fills_less = true;
      flops = left;
    }
    return best;
  }

 private:
  static constexpr double unknown = -1;
  // Of factorizing, in which a stage's share of plans takes as long.
  double flops_of_stage() const { return 1e6 + 20.0 * a_.rows; }
  // True if enough nonzeros would be in off-diagonal blocks in addition: otherwise it is not worth an
  // ordering to find out.
  bool may_fill(const BlockTriangularForm& few, const BlockTriangularForm& many) const {
    constexpr double least_share = 0.01;
    return double(many.off_diagonal - few.off_diagonal) >= least_share * double(a_.nonzeros());
  }

  const matrix::Pattern& a_;
  const DiagonalBlocks& blocks_;
  std::vector<Index> level_, rows_;
};

}  // namespace

template <Scalar T>
BlockTriangularForm block_triangular_form(const matrix::Csr<T>& a, Observer& observer) {
  const matrix::Pattern nonzero = pattern_of_nonzeros(a);
  const auto blocks = find_diagonal_blocks(nonzero, observer);
  if (!blocks || blocks->count < 2) return {};
  BlockTriangularForm form = StageChoice(nonzero, *blocks, levels_of(*blocks, nonzero)).cheapest();
  return form.stages > 1 ? std::move(form) : BlockTriangularForm{};
}

#define INSTANTIATE(T) template BlockTriangularForm block_triangular_form(const matrix::Csr<T>&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
