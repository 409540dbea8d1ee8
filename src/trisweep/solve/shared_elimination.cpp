#include "trisweep/solve/shared_elimination.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "trisweep/mpi/some_ranks.hpp"
#include "trisweep/numeric/diagonal_block.hpp"

namespace trisweep::solve {
namespace {

using numeric::Kind;
using numeric::Panel;
using numeric::PanelUpdate;
using numeric::View;

// Flops after which the observer is polled.
constexpr double poll_every = 1e8;

// Copies an eliminated arrowhead into L and U of its supernode, which is wider. As in LAPACK, its row
// interchanges are also applied to the columns of L to the left.
template <Scalar T>
void insert(const Panel<T>& part, std::span<const Index> interchanges, const Panel<T>& whole,
            std::vector<Index>& all_interchanges) {
  const Index begin = part.start - whole.start, w = part.width(), end = begin + w;
  const Index inside = whole.width() - end;
  for (Index j = 0; j < w; ++j) {
    std::copy_n(part.diagonal.column(j), w, whole.diagonal.column(begin + j) + begin);
    std::copy_n(part.lower.column(j), inside, whole.diagonal.column(begin + j) + end);
    std::copy_n(part.lower.column(j) + inside, whole.lower.rows, whole.lower.column(begin + j));
    if (part.upper.cols == 0) continue;
    for (Index i = 0; i < inside; ++i) whole.diagonal(begin + j, end + i) = part.upper(i, j);
    std::copy_n(part.upper.column(j) + inside, whole.upper.rows, whole.upper.column(begin + j));
  }
  numeric::exchange_rows<T>(whole.diagonal.block(begin, 0, w, begin), interchanges);
  for (const Index row : interchanges) all_interchanges.push_back(begin + row);
}

}  // namespace

template <Scalar T>
SharedElimination<T>::SharedElimination(const mpi::Communicator& comm, const distribution::SharedFront& front,
                                        Index f, std::span<const Index> keeper,
                                        numeric::FrontFactorization<T>& run)
    : comm_(comm),
      shape_(front),
      structure_(run.job().source.structure()),
      kind_(run.job().source.fronts.kind),
      f_(f),
      keeper_(keeper),
      run_(run),
      ranks_(front.arrowheads.owners()),
      contribution_(front.contribution()),
      interchanges_(usize(front.eliminated())),
      scratch_([this](double flops) {
        unpolled_ += flops;
        if (unpolled_ < poll_every) return;
        unpolled_ = 0;
        run_.job().progress.poll();
      }),
      steps_(kind_, run.job().rules, scratch_) {
  lay_out();
  for (Index a = 0; a < shape_.eliminated(); ++a) {
    const Index k = shape_.supernode[usize(a)];
    if (is_cut(a) && kind_ == Kind::lu) interchanges_[usize(a)].resize(usize(shape_.arrowheads.width(a)));
    if (a == 0 || shape_.supernode[usize(a) - 1] != k) add_entries(k, shape_.arrowheads.begin[usize(a)]);
  }
  handed_on_.assign(front_.panels.begin() + shape_.eliminated(), front_.panels.end());
  for (Panel<T>& panel : handed_on_) panel.start -= shape_.arrowheads.begin[usize(shape_.eliminated())];
}

template <Scalar T>
std::size_t SharedElimination<T>::entries(Index a) const {
  const std::size_t w = usize(shape_.arrowheads.width(a)), sides = numeric::has_upper(kind_) ? 2 : 1;
  return w * (w + sides * usize(rest(a)));
}

template <Scalar T>
Panel<T> SharedElimination<T>::panel_in(T* memory, Index a) const {
  const Index w = shape_.arrowheads.width(a), below = rest(a);
  T* const lower = memory + usize(w) * usize(w);
  Panel<T> panel{.supernode = a < shape_.eliminated() ? shape_.supernode[usize(a)] : -1,
                 .start = shape_.arrowheads.begin[usize(a)],
                 .diagonal = {memory, w, w, w},
                 .lower = {lower, below, w, below},
                 .upper = {}};
  if (numeric::has_upper(kind_)) panel.upper = {lower + usize(below) * usize(w), below, w, below};
  return panel;
}

template <Scalar T>
void SharedElimination<T>::lay_out() {
  std::size_t cut = 0, handed_on = 0;
  for (Index a = 0; a < shape_.arrowheads.count(); ++a) {
    if (is_mine(a) && !is_in_factors(a)) (a < shape_.eliminated() ? cut : handed_on) += entries(a);
  }
  cut_ = Buffer<T>(cut, "a front of several ranks", BufferUse::temporary);
  contribution_memory_ = Buffer<T>(handed_on, "a front of several ranks", BufferUse::temporary);
  T *next_cut = cut_.data(), *next_handed_on = contribution_memory_.data();
  for (Index a = 0; a < shape_.arrowheads.count(); ++a) {
    Panel<T>& panel = front_.panels.emplace_back();
    if (!is_mine(a)) {
      panel.start = shape_.arrowheads.begin[usize(a)];
      panel.diagonal.cols = shape_.arrowheads.width(a);
      continue;
    }
    T*& next = a < shape_.eliminated() ? next_cut : next_handed_on;
    panel = is_in_factors(a) ? run_.panel(shape_.supernode[usize(a)], shape_.arrowheads.begin[usize(a)])
                             : panel_in(std::exchange(next, next + entries(a)), a);
    for (const View<T>& part : {panel.diagonal, panel.lower, panel.upper})
      std::fill_n(part.data, usize(part.rows) * usize(part.cols), T(0));
  }
}

template <Scalar T>
void SharedElimination<T>::add_entries(Index supernode, Index start) {
  const numeric::Source<T>& source = run_.job().source;
  for (const numeric::MatrixEntry& e : source.fronts.entries(supernode)) {
    const Index a = shape_.arrowheads.of(start + std::min(e.row, e.col));
    numeric::entry_of(front_.panels[usize(a)], start + e.row, start + e.col) +=
        source.values[usize(e.source)];
  }
}

template <Scalar T>
FrontsEnd SharedElimination<T>::eliminate() {
  for (Index a = 0; a < shape_.eliminated(); ++a) {
    const Panel<T>& panel = front_.panels[usize(a)];
    std::optional<PanelUpdate<T>> mine;
    if (is_mine(a)) {
      mine = steps_.factor(panel);
      if (is_cut(a) && kind_ == Kind::lu)
        std::ranges::copy(steps_.interchanges(), interchanges_[usize(a)].begin());
    }
    const auto update = exchange(a, mine);
    if (!update) return kind_ == Kind::cholesky ? FrontsEnd::other_kind : FrontsEnd::delays;
    steps_.update(front_, usize(a), *update);
    if (!is_mine(a) || is_cut(a)) continue;
    steps_.finish(panel);
    run_.finish(panel);
  }
  message_ = {};
  run_.count(f_, steps_.perturbed_pivots(), steps_.pivots());
  return FrontsEnd::done;
}

// Broadcasts the owner's update to all ranks; the last entry of the message tells whether there is one.
template <Scalar T>
std::optional<PanelUpdate<T>> SharedElimination<T>::exchange(Index a,
                                                             const std::optional<PanelUpdate<T>>& mine) {
  const numeric::Arrowheads& all = shape_.arrowheads;
  const Index w = all.width(a), below = rest(a);
  const std::size_t side = usize(w) * usize(below);
  const std::size_t sides = kind_ == Kind::cholesky ? 1 : 2;
  const std::size_t entries = sides * side + 1;
  if (message_.size() < entries)
    message_ = Buffer<T>(entries, "a panel of another rank", BufferUse::temporary);
  T* const data = message_.data();
  if (mine) {
    std::copy_n(mine->left.data, side, data);
    std::copy_n(mine->right.data, side, data + (sides - 1) * side);
  }
  if (is_mine(a)) data[entries - 1] = mine ? T(1) : T(0);
  const auto root = std::ranges::find(ranks_, all.owner[usize(a)]) - ranks_.begin();
  mpi::broadcast_among(comm_, ranks_, static_cast<std::size_t>(root), data, entries * sizeof(T),
                       mpi::Tag::fronts);
  if (data[entries - 1] == T(0)) return std::nullopt;
  if (mine) return mine;
  return PanelUpdate<T>{{data, below, w, below}, {data + (sides - 1) * side, below, w, below}};
}

template <Scalar T>
void SharedElimination<T>::bring_together() {
  for (Index a = 0; a < shape_.eliminated(); ++a) {
    if (!is_cut(a)) continue;
    const Index k = shape_.supernode[usize(a)];
    if (keeper_[usize(k)] == comm_.rank() && (a == 0 || shape_.supernode[usize(a) - 1] != k))
      whole_.push_back({run_.panel(k, shape_.arrowheads.begin[usize(a)]), {}});
    bring(a);
  }
  cut_ = {};
}

template <Scalar T>
void SharedElimination<T>::bring(Index a) {
  const Index owner = shape_.arrowheads.owner[usize(a)], keeper = keeper_[usize(shape_.supernode[usize(a)])];
  std::vector<Index>& interchanges = interchanges_[usize(a)];
  const std::size_t bytes = entries(a) * sizeof(T), interchange_bytes = interchanges.size() * sizeof(Index);
  if (is_mine(a) && owner != keeper) {
    comm_.send_bytes(front_.panels[usize(a)].diagonal.data, bytes, keeper, mpi::Tag::fronts);
    comm_.send_bytes(interchanges.data(), interchange_bytes, keeper, mpi::Tag::fronts);
  }
  if (keeper != comm_.rank()) return;
  Panel<T> part = front_.panels[usize(a)];
  Buffer<T> received;
  if (!is_mine(a)) {
    received = Buffer<T>(entries(a), "a panel of another rank", BufferUse::temporary);
    comm_.receive_bytes(received.data(), bytes, owner, mpi::Tag::fronts);
    comm_.receive_bytes(interchanges.data(), interchange_bytes, owner, mpi::Tag::fronts);
    part = panel_in(received.data(), a);
  }
  insert<T>(part, interchanges, whole_.back().panel, whole_.back().interchanges);
}

template <Scalar T>
void SharedElimination<T>::finish() {
  for (const Whole& whole : whole_) {
    steps_.finish(whole.panel, whole.interchanges);
    std::vector<T>().swap(scratch_.block);  // frees it: the next step needs as much memory
    run_.finish(whole.panel);
  }
  whole_.clear();
}

#define INSTANTIATE(T) template class SharedElimination<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
