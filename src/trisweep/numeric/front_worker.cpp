#include "trisweep/numeric/front_worker.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace trisweep::numeric {
namespace {

// Flops between two reports to the observer.
constexpr double report_every = 1e8;

}  // namespace

template <Scalar T>
FrontWorker<T>::FrontWorker(FrontJob<T>& job, int thread, Offset stack_entries)
    : job_(job),
      fronts_(job.source.fronts),
      tree_(fronts_.tree),
      record_(fronts_.record),
      result_(job.result),
      modulus_(job.modulus),
      assembly_(job.source),
      tiny_(job.source, job.rules),
      redoer_(job.source, job.rules),
      panels_(job.factors, job.sink, thread, fronts_.largest),
      scratch_([this](double flops) { did(flops); }),
      stack_(stack_entries) {}

template <Scalar T>
void FrontWorker<T>::did(double flops) {
  unpolled_ += flops;
  if (unpolled_ < report_every) return;
  unpolled_ = 0;
  job_.progress.poll();
}

// Along a chain of fronts, each a little smaller than its child, the memory of a child's child serves again:
// the system would have to clear new memory, which takes 7 % of the time of a factorization of poisson3d,
// n=48.
template <Scalar T>
Buffer<T> FrontWorker<T>::outgoing_memory() {
  const auto entries = usize(unit_.outgoing);
  Buffer<T> memory = std::exchange(spare_, {});
  if (entries <= memory.size() && memory.size() / 2 <= entries) return memory;
  memory = {};
  return Buffer<T>(entries, "contribution blocks of the factorization", BufferUse::temporary);
}

// Rarely called functions are not inlined: they would leave fewer registers for tiny fronts.
template <Scalar T>
[[gnu::noinline]] void FrontWorker<T>::make_own(const FrontRecord& front, FrontResult<T>& result) {
  if (outgoing_ == nullptr) {
    outgoing_ = &own_.emplace_back();
    outgoing_->owned = outgoing_memory();
  }
  const Index m = front.height;
  result.block = outgoing_->owned.data() + std::exchange(outgoing_so_far_, outgoing_so_far_ + front.block);
  if (outgoing_so_far_ < unit_.outgoing) return;
  outgoing_->view = {result.block, m, m, m};
  result.own = std::exchange(outgoing_, nullptr);
}

template <Scalar T>
inline void FrontWorker<T>::make_room(const FrontRecord& front, bool leaves_unit, FrontResult<T>& result) {
  if (!leaves_unit) {
    result.block = stack_.push(front.block, front.depth);
  } else if (front.height > 0) {
    make_own(front, result);
  }
}

template <Scalar T>
[[gnu::noinline]] void FrontWorker<T>::count_in_summary(Index f, Index width, bool is_extreme) {
  PivotSummary& summary = pivots_.emplace_back(FrontPivots{f, {}}).summary;
  for (Index k = 0; k < width; ++k) {
    const RealOf<T> modulus = std::abs(tiny_.pivot(k));
    if (is_extreme) summary.log_modulus += std::log(modulus);
    if (!pivots_have_signs<T>(fronts_.kind)) summary.add(tiny_.pivot(k) / modulus, fronts_.kind);
  }
}

// Signs may be counted in any order; products of other phases, like those of moduli, are formed in a fixed
// order.
template <Scalar T>
inline void FrontWorker<T>::count_tiny_pivots(Index f, Index width) {
  double modulus = 1;
  for (Index k = 0; k < width; ++k) modulus *= std::abs(tiny_.pivot(k));
  const bool has_signs = pivots_have_signs<T>(fronts_.kind), is_extreme = ModulusProduct::is_extreme(modulus);
  if (!is_extreme) modulus_[usize(f)] = modulus;
  if (has_signs) {
    Index positive = 0;
    for (Index k = 0; k < width; ++k) positive += std::real(tiny_.pivot(k)) > 0;
    signs_.add_signs(positive, width - positive);
  }
  if (!has_signs || is_extreme) count_in_summary(f, width, is_extreme);
}

template <Scalar T>
inline bool FrontWorker<T>::eliminate_tiny(Index f, const FrontRecord& front, T* block) {
  if (job_.sink != nullptr) panels_.lay_out(tree_.members(f), front_);
  const auto perturbed = tiny_.eliminate(
      job_.sink ? parts_of(front_.panels.front()) : panels_.parts_at(front.panel, front.diagonal), block);
  if (!perturbed) return false;
  perturbed_ += *perturbed;
  if (job_.sink != nullptr) panels_.finish(front_);
  if (fronts_.kind != Kind::lu) count_tiny_pivots(f, front.width);
  return true;
}

template <Scalar T>
std::optional<Index> FrontWorker<T>::eliminate(Index f) {
  front_.contribution = block_of(f);
  front_.contribution_is_set = false;
  assembly_.begin(front_);
  for (const Index c : tree_.children(f))
    assembly_.add_child(front_, block_of(c), fronts_.places_in_parent(c));
  PivotSummary pivots;
  const auto perturbed = numeric::eliminate(front_, fronts_.kind, job_.rules, pivots, scratch_);
  if (perturbed && fronts_.kind != Kind::lu) pivots_.push_back({f, pivots});
  return perturbed;
}

template <Scalar T>
bool FrontWorker<T>::redo(Index f) {
  const symbolic::Structure& s = *fronts_.structure;
  std::vector<ChildBlock<T>> children;
  for (const Index c : tree_.children(f)) {
    const Index top = tree_.members(c).back();
    const ChildBlock<T>& child =
        children.emplace_back(ChildBlock<T>{s.parent[usize(top)], block_of(c), {}, {}, s.rows(top)});
    if (const Contribution<T>* const own = result_[usize(c)].own)
      children.back() = {child.into, own->view, own->delayed_row, own->delayed_col, child.rows};
  }
  FrontResult<T>& of_front = result_[usize(f)];
  RedoneFront<T> result =
      redoer_.redo(tree_.members(f), children, job_.limits.most_delayed(tree_, f, of_front.redone_entries));
  perturbed_ += result.perturbed_pivots;
  if (fronts_.kind != Kind::lu) pivots_.push_back({f, result.pivots});
  for (const Piece<T>& piece : result.pieces) of_front.redone_entries += piece.entries();
  of_front.block = result.contribution.view.data;
  const bool shares = of_front.own != nullptr && of_front.own->view.data != of_front.own->owned.data();
  if (of_front.own == nullptr || shares) of_front.own = &own_.emplace_back();
  *of_front.own = std::move(result.contribution);
  if (put_in_place<T>(result.pieces, s, front_)) return true;
  redone_.front.push_back(f);
  std::ranges::move(result.pieces, std::back_inserter(redone_.piece));
  return false;
}

template <Scalar T>
[[gnu::noinline]] bool FrontWorker<T>::eliminate_otherwise(Index f, const Children& children, bool is_tiny) {
  panels_.lay_out(tree_.members(f), front_);
  std::optional<Index> perturbed;
  if (!children.delayed && (!is_tiny || may_have_pairs(fronts_.kind))) perturbed = eliminate(f);
  if (!perturbed && fronts_.kind == Kind::cholesky) return false;
  if (!perturbed && !redo(f)) return job_.sink == nullptr;
  perturbed_ += perturbed.value_or(0);
  panels_.finish(front_);
  return true;
}

template <Scalar T>
[[gnu::always_inline]] inline bool FrontWorker<T>::process(Index f, const FrontRecord& front,
                                                           bool leaves_unit) {
  FrontResult<T>& result = result_[usize(f)];
  make_room(front, leaves_unit, result);
  const bool is_tiny = TinyFront<T>::fits(front.width, front.width + front.height);
  if (is_tiny) tiny_.begin(front.width, front.width + front.height, entries_of(front));
  Children children;
  for (const Index c : children_of(front)) {
    const FrontResult<T>& child = result_[usize(c)];
    const FrontRecord& record = record_[usize(c)];
    children.add(child);
    if (is_tiny && !children.delayed) tiny_.add_child(child.block, places_of(record), record.scattered);
  }
  result.redone_entries = children.redone_entries;
  const bool done = is_tiny && !children.delayed && eliminate_tiny(f, front, result.block);
  if (!done && is_tiny && fronts_.kind == Kind::cholesky) return false;
  if (!done && !eliminate_otherwise(f, children, is_tiny)) return false;
  if (f != unit_.first) stack_.pop(front.blocks_below, front.depth + 1);  // else children are in other units
  for (const Index c : children.has_own ? children_of(front) : std::span<const Index>()) {
    if (Contribution<T>* const own = result_[usize(c)].own) {
      if (own->owned.size() > spare_.size()) spare_ = std::move(own->owned);
      *own = {};
    }
  }
  return true;
}

template <Scalar T>
bool FrontWorker<T>::process(const Unit& unit) {
  unit_ = unit;
  outgoing_ = nullptr;
  outgoing_so_far_ = 0;
  if (unit.first != unit.last) spare_ = {};             // a subtree, above which the chain is another one
  const Index depth = record_[usize(unit.last)].depth;  // of the roots of all subtrees in the unit
  for (Index f = unit.first; f <= unit.last; ++f) {
    const FrontRecord& front = record_[usize(f)];
    if (!process(f, front, front.depth == depth)) return false;
    unreported_ += front.flops;
    if (unreported_ > report_every) report();
  }
  report();
  return true;
}

#define TRISWEEP_INSTANTIATE(T) template class FrontWorker<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
