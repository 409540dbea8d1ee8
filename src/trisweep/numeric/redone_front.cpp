#include "trisweep/numeric/redone_front.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "trisweep/numeric/diagonal_block.hpp"

namespace trisweep::numeric {
namespace {

template <Scalar T>
bool is_in_place(const Piece<T>& piece, const symbolic::Structure& s, const Panel<T>& panel) {
  const auto own = [&](Index j) { return s.supernode_of[usize(j)] == panel.supernode; };
  return piece.supernode == panel.supernode && piece.width == panel.width() &&
         piece.height() == panel.lower.rows &&  // no row was delayed to it or past it
         std::all_of(piece.row.begin(), piece.row.begin() + piece.width, own) &&
         std::all_of(piece.col.begin(), piece.col.begin() + piece.width, own);
}

// Copies a piece, with pivots and rows permuted into the order of the structure.
template <Scalar T>
void copy_in_place(const Piece<T>& piece, const symbolic::Structure& s, const Panel<T>& panel) {
  const Index w = piece.width, m = piece.height(), first = s.first[usize(panel.supernode)];
  const auto rows = s.rows(panel.supernode);
  std::vector<Index> row, col;
  for (const auto& [from, to] : {std::pair(&piece.row, &row), {&piece.col, &col}}) {
    for (Index i = 0; i < w; ++i) to->push_back((*from)[usize(i)] - first);
    for (Index i = w; i < w + m; ++i)
      to->push_back(static_cast<Index>(std::ranges::lower_bound(rows, (*from)[usize(i)]) - rows.begin()));
  }
  for (Index j = 0; j < w; ++j) {
    for (Index i = 0; i < w; ++i)  // D^-1 maps rows to columns
      panel.diagonal(col[usize(i)], row[usize(j)]) = piece.diagonal[usize(i) + usize(j) * usize(w)];
    for (Index i = 0; i < m; ++i) {
      panel.lower(row[usize(w + i)], row[usize(j)]) = piece.lower[usize(i) + usize(j) * usize(m)];
      if (!piece.upper.empty())
        panel.upper(col[usize(w + i)], col[usize(j)]) = piece.upper[usize(i) + usize(j) * usize(m)];
    }
  }
}

}  // namespace

template <Scalar T>
bool put_in_place(std::span<const Piece<T>> pieces, const symbolic::Structure& structure,
                  const Front<T>& front) {
  if (pieces.size() != front.panels.size()) return false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!is_in_place(pieces[i], structure, front.panels[i])) return false;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) copy_in_place(pieces[i], structure, front.panels[i]);
  return true;
}

template <Scalar T>
FrontRedoer<T>::FrontRedoer(const Source<T>& source, const PivotRules<RealOf<T>>& rules)
    : source_(source), rules_(rules), widest_(source.fronts.widest_divided) {}

// Lists rows and columns in the planned order of elimination: for each member those that its children
// delayed, then its own.
template <Scalar T>
void FrontRedoer<T>::name(std::span<const Index> members, std::span<const ChildBlock<T>> children) {
  const symbolic::Structure& s = source_.structure();
  std::vector<Index>&row = front_.row, &col = front_.col;
  row.clear();
  col.clear();
  member_end_.clear();
  for (const Index k : members) {
    for (const ChildBlock<T>& child : children) {
      if (child.into != k) continue;
      row.insert(row.end(), child.delayed_row.begin(), child.delayed_row.end());
      col.insert(col.end(), child.delayed_col.begin(), child.delayed_col.end());
    }
    for (Index j = s.first[usize(k)]; j < s.first[usize(k) + 1]; ++j) {
      row.push_back(j);
      col.push_back(j);
    }
    member_end_.push_back(static_cast<Index>(row.size()));
  }
  const auto rest = s.rows(members.back());
  row.insert(row.end(), rest.begin(), rest.end());
  col.insert(col.end(), rest.begin(), rest.end());
  row_at_.resize(usize(s.n));
  col_at_.resize(usize(s.n));
  for (std::size_t p = 0; p < row.size(); ++p) {
    row_at_[usize(row[p])] = static_cast<Index>(p);
    col_at_[usize(col[p])] = static_cast<Index>(p);
  }
}

template <Scalar T>
void FrontRedoer<T>::add_matrix(Index k) {
  const symbolic::Structure& s = source_.structure();
  const Index first = s.first[usize(k)], w = s.width(k);
  const auto rows = s.rows(k);
  const auto global = [&](Index p) { return p < w ? first + p : rows[usize(p - w)]; };
  for (const MatrixEntry& e : source_.fronts.entries(k))
    add(row_at_[usize(global(e.row))], col_at_[usize(global(e.col))], source_.values[usize(e.source)]);
}

// Adds an entry, in symmetric fronts to the lower triangle.
template <Scalar T>
void FrontRedoer<T>::add(Index row, Index col, T value) {
  const Kind kind = source_.fronts.kind;
  if (has_upper(kind) || row >= col)
    front_.value(row, col) += value;
  else
    front_.value(col, row) += mirrored(upper_of_lower(kind), value);
}

template <Scalar T>
void FrontRedoer<T>::add_child(const ChildBlock<T>& child) {
  std::vector<Index> rows, cols;
  for (const Index i : child.delayed_row) rows.push_back(row_at_[usize(i)]);
  for (const Index j : child.delayed_col) cols.push_back(col_at_[usize(j)]);
  for (const Index i : child.rows) {
    rows.push_back(row_at_[usize(i)]);
    cols.push_back(col_at_[usize(i)]);
  }
  for (std::size_t j = 0; j < cols.size(); ++j) {
    const T* from = child.view.column(static_cast<Index>(j));
    for (std::size_t i = has_upper(source_.fronts.kind) ? 0 : j; i < rows.size(); ++i)
      add(rows[i], cols[j], from[i]);
  }
}

template <Scalar T>
void FrontRedoer<T>::assemble(std::span<const Index> members, std::span<const ChildBlock<T>> children) {
  for (const Index k : members) add_matrix(k);
  for (const ChildBlock<T>& child : children) add_child(child);
}

// The pivots [begin, end) with their columns of L, and rows of U if it is stored.
template <Scalar T>
Piece<T> FrontRedoer<T>::piece(Index k, Index begin, Index end) {
  const View<T>& f = front_.value;
  const auto tail = [&](const std::vector<Index>& names) {
    return std::vector<Index>(names.begin() + begin, names.end());
  };
  Piece<T> p{.supernode = k, .width = end - begin, .row = tail(front_.row), .col = tail(front_.col)};
  for (Index j = begin; j < end; ++j) {
    p.diagonal.insert(p.diagonal.end(), f.column(j) + begin, f.column(j) + end);
    p.lower.insert(p.lower.end(), f.column(j) + end, f.column(j) + f.rows);
    for (Index i = end; i < f.cols && has_upper(source_.fronts.kind); ++i) p.upper.push_back(f(j, i));
  }
  return p;
}

// Converts the triangular factors into the panels of block LDU.
template <Scalar T>
void FrontRedoer<T>::finish(const ThresholdLu<T>&, Index, Piece<T>& p) const {
  const Index w = p.width, m = p.height();
  const View<T> diagonal{p.diagonal.data(), w, w, w};
  solve_right<T>({p.lower.data(), m, w, m}, diagonal, Triangle::lower, Op::none, Diagonal::unit);
  solve_right<T>({p.upper.data(), m, w, m}, diagonal, Triangle::upper, Op::transpose, Diagonal::stored);
  std::vector<Index> in_place(usize(w));
  std::iota(in_place.begin(), in_place.end(), 0);
  std::vector<T> scratch(p.diagonal.size());
  invert_from_lu<T>(diagonal, in_place, scratch);
}

template <Scalar T>
void FrontRedoer<T>::finish(const ThresholdLdl<T>& eliminated, Index begin, Piece<T>& p) const {
  const Index w = p.width, m = p.height();
  BlockPivots<T> factors = eliminated.factors().part(begin, begin + w);
  factors.diagonal = {p.diagonal.data(), w, w, w};
  solve_right<T>({p.lower.data(), m, w, m}, factors.diagonal, Triangle::lower, Op::none, Diagonal::unit);
  std::vector<Index> in_place(usize(w));
  std::iota(in_place.begin(), in_place.end(), 0);
  std::vector<T> scratch(p.diagonal.size());
  invert_from_ldl<T>(factors, in_place, scratch);
}

// Makes a piece of pivots [begin, end); several if it would be wider than any planned supernode, unless
// supernode k is kept whole.
template <Scalar T>
template <class Eliminated>
void FrontRedoer<T>::cut_pieces(Index k, Index begin, Index end, const Eliminated& eliminated,
                                std::vector<Piece<T>>& pieces) {
  const Index width = end - begin;
  const Index count =
      source_.structure().whole[usize(k)] ? std::min(width, Index{1}) : (width + widest_ - 1) / widest_;
  Index first = begin;
  for (Index p = 0; p < count; ++p) {
    auto last = begin + static_cast<Index>(Offset{width} * (p + 1) / count);
    if (last < end && eliminated.divides_pair(last)) ++last;
    if (first == last) continue;
    finish(eliminated, first, pieces.emplace_back(piece(k, first, last)));
    first = last;
  }
}

template <Scalar T>
Contribution<T> FrontRedoer<T>::contribution(Index begin, Index delayed) const {
  const Index m = front_.value.rows - begin;
  Contribution<T> c;
  c.owned = Buffer<T>(usize(m) * usize(m), "a contribution block of the factorization", BufferUse::temporary);
  c.view = {c.owned.data(), m, m, m};
  for (Index j = 0; j < m; ++j) std::copy_n(front_.value.column(begin + j) + begin, m, c.view.column(j));
  c.delayed_row.assign(front_.row.begin() + begin, front_.row.begin() + begin + delayed);
  c.delayed_col.assign(front_.col.begin() + begin, front_.col.begin() + begin + delayed);
  return c;
}

template <Scalar T>
RedoneFront<T> FrontRedoer<T>::redo(std::span<const Index> members, std::span<const ChildBlock<T>> children,
                                    Index most_delayed) {
  name(members, children);
  const auto size = static_cast<Index>(front_.row.size());
  Buffer<T> memory = zeros<T>(usize(size) * usize(size), "a front of the factorization");
  front_.value = {memory.data(), size, size, size};
  assemble(members, children);

  if (!has_upper(source_.fronts.kind))
    return eliminate(members, member_end_, most_delayed,
                     ThresholdLdl<T>(front_, source_.fronts.kind, rules_));
  const RealOf<T> bound = rules_.growth > 0 ? rules_.growth * largest_part(front_.value) : 0;
  auto redone = eliminate(members, member_end_, most_delayed, ThresholdLu<T>(front_, rules_));
  if (bound == 0 || !exceeds(front_.value, bound)) return redone;

  // Pivots are searched for among all columns of the front, which become those of the last supernode.
  name(members, children);
  std::fill_n(memory.data(), memory.size(), T{});
  assemble(members, children);
  ThresholdLu<T> lu(front_, rules_);
  lu.eliminate_by_largest(member_end_.back());
  return eliminate(members.last(1), std::span<const Index>(member_end_).last(1), most_delayed, std::move(lu));
}

template <Scalar T>
template <class Eliminated>
RedoneFront<T> FrontRedoer<T>::eliminate(std::span<const Index> members, std::span<const Index> ends,
                                         Index most_delayed, Eliminated eliminated) {
  std::vector<Index> begin{0};
  for (const Index end : ends) {
    const bool last = begin.size() == members.size();
    const bool at_root = last && end == front_.value.rows;
    eliminated.eliminate(end,
                         at_root ? 0
                         : last  ? most_delayed
                                 : end,
                         at_root ? rules_.smallest : rules_.replacement);
    begin.push_back(eliminated.eliminated());
  }
  RedoneFront<T> result{.perturbed_pivots = eliminated.perturbed_pivots(), .pivots = eliminated.pivots()};
  for (std::size_t i = 0; i < members.size(); ++i)
    cut_pieces(members[i], begin[i], begin[i + 1], eliminated, result.pieces);
  result.contribution = contribution(begin.back(), member_end_.back() - begin.back());
  return result;
}

#define TRISWEEP_INSTANTIATE(T)                                                                       \
  template bool put_in_place(std::span<const Piece<T>>, const symbolic::Structure&, const Front<T>&); \
  template class FrontRedoer<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
