// A delayed pivot may pair a row and a column of A that lay in different places of the planned order. Rows
// and columns are renumbered by supernode and within it: a row and the column of the same number keep a
// common number if they are in the same supernode (D^-1 has any other pairing). The rows of a panel are then
// the new numbers of its rows in L and of its columns in U: where these differ it has both, with zeros.

#include "trisweep/numeric/reshaping.hpp"

#include <algorithm>
#include <numeric>

#include "trisweep/core/slabs.hpp"

namespace trisweep::numeric {
namespace {

constexpr Index smallest_limit = 4096;  // rows, for any matrix: 128 MiB of double
constexpr Offset most_growth = 8;       // times the entries of a factor

// A supernode of the new structure: a piece, or an unchanged supernode of the old structure.
template <Scalar T>
struct Supernode {
  Index old;
  const Piece<T>* piece;  // or null
};

template <Scalar T>
class Reshaping {
 public:
  Reshaping(Factors<T>& factors, const std::vector<char>& redone, const std::vector<Piece<T>>& pieces)
      : factors_(factors), old_(*factors.structure), place_(usize(old_.n)) {
    auto piece = pieces.begin();
    for (Index k = 0; k < old_.supernodes(); ++k) {
      if (!redone[usize(k)]) list_.push_back({k, nullptr});
      for (; piece != pieces.end() && piece->supernode == k; ++piece) list_.push_back({k, &*piece});
    }
  }

  void restructure() {
    number();
    const auto structure =
        std::make_shared<const symbolic::Structure>(symbolic::reshaped(old_, old_supernodes(), shape()));
    const symbolic::Structure& s = *structure;
    std::vector<Offset> panel_ptr{0}, diagonal_ptr{0};
    for (auto* ptr : {&panel_ptr, &diagonal_ptr}) ptr->reserve(list_.size() + 1);
    for (Index k = 0; k < s.supernodes(); ++k) {
      const Offset made = is_here(list_[usize(k)]) ? 1 : 0;
      panel_ptr.push_back(panel_ptr.back() + made * s.width(k) * s.height(k));
      diagonal_ptr.push_back(diagonal_ptr.back() + made * s.width(k) * s.width(k));
    }
    move(s, Part::lower, factors_.lower, factors_.panel_ptr, panel_ptr);
    if (has_upper(factors_.kind)) move(s, Part::upper, factors_.upper, factors_.panel_ptr, panel_ptr);
    move(s, Part::diagonal, factors_.diagonal, factors_.diagonal_ptr, diagonal_ptr);
    count_delayed();
    factors_.panel_ptr = std::move(panel_ptr);
    factors_.diagonal_ptr = std::move(diagonal_ptr);
    factors_.row_new = std::move(row_new_);
    factors_.col_new = std::move(col_new_);
    factors_.structure = structure;
  }

 private:
  enum class Part { diagonal, lower, upper };

  void number() {
    row_new_.resize(usize(old_.n));
    col_new_.resize(usize(old_.n));
    Index next = 0;
    for (const Supernode<T>& s : list_) {
      if (s.piece) {
        number_piece(*s.piece, next);
        next += s.piece->width;
        continue;
      }
      for (Index j = old_.first[usize(s.old)]; j < old_.first[usize(s.old) + 1]; ++j)
        row_new_[usize(j)] = col_new_[usize(j)] = next++;
    }
  }

  // Numbers columns in the old order, and gives a row the number of its column if that is in the piece, too.
  void number_piece(const Piece<T>& p, Index first) {
    std::vector<Index> row(p.row.begin(), p.row.begin() + p.width),
        col(p.col.begin(), p.col.begin() + p.width);
    std::sort(row.begin(), row.end());
    std::sort(col.begin(), col.end());
    std::vector<Index> lone_rows;
    std::vector<char> taken(usize(p.width), 0);
    for (Index j = 0; j < p.width; ++j) col_new_[usize(col[usize(j)])] = first + j;
    for (const Index i : row) {
      if (std::ranges::binary_search(col, i)) {
        row_new_[usize(i)] = col_new_[usize(i)];
        taken[usize(row_new_[usize(i)] - first)] = 1;
      } else {
        lone_rows.push_back(i);
      }
    }
    Index place = 0;
    for (const Index i : lone_rows) {
      while (taken[usize(place)]) ++place;
      row_new_[usize(i)] = first + place++;
    }
  }

  std::vector<Index> old_supernodes() const {
    std::vector<Index> result;
    for (const Supernode<T>& s : list_) result.push_back(s.old);
    return result;
  }

  // True if its panels are made in this process.
  bool is_here(const Supernode<T>& s) const {
    return s.piece ? !s.piece->diagonal.empty() : factors_.has(s.old);
  }
  Index width(const Supernode<T>& s) const { return s.piece ? s.piece->width : old_.width(s.old); }
  // The rows of L's panel, and the columns of U's, by their old numbers.
  std::span<const Index> rows(const Supernode<T>& s) const {
    return s.piece ? std::span(s.piece->row).subspan(usize(s.piece->width)) : old_.rows(s.old);
  }
  std::span<const Index> cols(const Supernode<T>& s) const {
    return s.piece ? std::span(s.piece->col).subspan(usize(s.piece->width)) : old_.rows(s.old);
  }

  symbolic::Shape shape() {
    symbolic::Shape shape;
    shape.first.reserve(list_.size() + 1);
    shape.row_ptr.reserve(list_.size() + 1);
    shape.row.reserve(old_.row.size());
    for (const Supernode<T>& s : list_) {
      const auto begin = static_cast<std::ptrdiff_t>(shape.row.size());
      is_as_before_.push_back(append_rows(s, shape.row));
      if (!is_as_before_.back()) {
        std::sort(shape.row.begin() + begin, shape.row.end());
        shape.row.erase(std::unique(shape.row.begin() + begin, shape.row.end()), shape.row.end());
      }
      shape.first.push_back(shape.first.back() + width(s));
      shape.row_ptr.push_back(std::ssize(shape.row));
    }
    return shape;
  }

  // Appends the rows of its panels in the new numbers. Returns true if it is not a piece and its rows still
  // have the numbers of their columns, in the same order: then each row is appended once, and the panels stay
  // as they are.
  bool append_rows(const Supernode<T>& s, std::vector<Index>& to) const {
    bool as_before = !s.piece;
    Index last = -1;
    for (const Index i : rows(s)) {
      const Index row = row_new_[usize(i)];
      as_before = as_before && row > last && col_new_[usize(i)] == row;
      to.push_back(last = row);
    }
    if (as_before) return true;
    for (const Index j : cols(s)) to.push_back(col_new_[usize(j)]);
    return false;
  }

  void map_rows(std::span<const Index> rows) {
    for (std::size_t r = 0; r < rows.size(); ++r) place_[usize(rows[r])] = static_cast<Index>(r);
  }

  // Replaces one part of the old panels by that of the new ones.
  void move(const symbolic::Structure& s, Part part, Buffer<T>& values, const std::vector<Offset>& from,
            const std::vector<Offset>& to) {
    Buffer<T> result(usize(to.back()), "the factors with delayed pivots");
    for (Index k = 0; k < s.supernodes(); ++k) {
      const Supernode<T>& source = list_[usize(k)];
      if (!is_here(source)) continue;
      T* target = result.data() + to[usize(k)];
      if (is_as_before_[usize(k)]) {
        std::copy_n(values.data() + from[usize(source.old)], to[usize(k) + 1] - to[usize(k)], target);
        continue;
      }
      map_rows(s.rows(k));
      if (source.piece) {
        fill(*source.piece, k, s, part, target);
      } else {
        carry_over(values.data() + from[usize(source.old)], source.old, k, s, part, target);
      }
    }
    values = std::move(result);
  }

  // Copies a part of a piece into supernode k of `s`, whose rows are mapped.
  void fill(const Piece<T>& p, Index k, const symbolic::Structure& s, Part part, T* target) {
    const Index w = p.width, m = p.height(), first = s.first[usize(k)];
    const auto own_row = [&](Index i) { return row_new_[usize(p.row[usize(i)])] - first; };
    const auto own_col = [&](Index j) { return col_new_[usize(p.col[usize(j)])] - first; };
    if (part == Part::diagonal) {
      // D^-1 maps rows to columns.
      for (Index j = 0; j < w; ++j) {
        for (Index i = 0; i < w; ++i)
          target[slab_entry(w, w, own_col(i), own_row(j))] = p.diagonal[usize(i) + usize(j) * usize(w)];
      }
      return;
    }
    const bool lower = part == Part::lower;
    const T* from = lower ? p.lower.data() : p.upper.data();
    const Index height = s.height(k);
    std::fill_n(target, usize(height) * usize(w), T(0));
    for (Index j = 0; j < w; ++j) {
      for (Index i = 0; i < m; ++i) {
        const Index place = lower ? place_[usize(row_new_[usize(p.row[usize(w + i)])])]
                                  : place_[usize(col_new_[usize(p.col[usize(w + i)])])];
        target[slab_entry(height, w, place, lower ? own_row(j) : own_col(j))] = *from++;
      }
    }
  }

  // Copies a panel of an old supernode into one with more rows, or with rows in another order.
  void carry_over(const T* from, Index old, Index k, const symbolic::Structure& s, Part part, T* target) {
    const Index w = s.width(k), height = s.height(k), m = old_.height(old);
    if (part == Part::diagonal) {
      std::copy_n(from, usize(w) * usize(w), target);
      return;
    }
    const std::vector<Index>& number = part == Part::lower ? row_new_ : col_new_;
    places_.clear();
    for (const Index i : old_.rows(old)) places_.push_back(place_[usize(number[usize(i)])]);
    std::fill_n(target, usize(height) * usize(w), T(0));
    for (Index j = 0; j < w; ++j) {
      for (Index i = 0; i < m; ++i)
        target[slab_entry(height, w, places_[usize(i)], j)] = from[slab_entry(m, w, i, j)];
    }
  }

  void count_delayed() {
    for (const Supernode<T>& s : list_) {
      if (!s.piece) continue;
      factors_.delayed_pivots +=
          static_cast<Index>(std::count_if(s.piece->col.begin(), s.piece->col.begin() + s.piece->width,
                                           [&](Index j) { return old_.supernode_of[usize(j)] != s.old; }));
    }
  }

  Factors<T>& factors_;
  const symbolic::Structure& old_;
  std::vector<Supernode<T>> list_;        // supernodes of the new structure
  std::vector<char> is_as_before_;        // by supernode in the list: see append_rows()
  std::vector<Index> row_new_, col_new_;  // by row and column of A
  std::vector<Index> place_;              // by new number: position among the mapped rows; stale for others
  std::vector<Index> places_;             // of the rows of one panel
};

}  // namespace

// Layout: number of fronts, fronts; then by piece: supernode, width, number of rows, rows, columns.
template <Scalar T>
std::vector<Index> shapes_of(const RedoneFronts<T>& redone) {
  std::vector<Index> list{static_cast<Index>(redone.front.size())};
  list.insert(list.end(), redone.front.begin(), redone.front.end());
  for (const Piece<T>& p : redone.piece) {
    list.insert(list.end(), {p.supernode, p.width, static_cast<Index>(p.row.size())});
    list.insert(list.end(), p.row.begin(), p.row.end());
    list.insert(list.end(), p.col.begin(), p.col.end());
  }
  return list;
}

template <Scalar T>
void add_shapes(std::span<const Index> shapes, RedoneFronts<T>& redone) {
  auto at = shapes.begin();
  const auto take = [&](std::vector<Index>& to, Index count) {
    to.insert(to.end(), at, at + count);
    at += count;
  };
  const Index fronts = *at++;
  take(redone.front, fronts);
  while (at != shapes.end()) {
    Piece<T>& piece = redone.piece.emplace_back();
    piece.supernode = *at++;
    piece.width = *at++;
    const Index rows = *at++;
    take(piece.row, rows);
    take(piece.col, rows);
  }
}

DelayLimits::DelayLimits(const FrontTree& tree, Offset panel_entries) {
  Index largest = 0;
  for (Index f = 0; f < tree.fronts(); ++f)
    largest = std::max(largest, tree.width[usize(f)] + tree.height[usize(f)]);
  most_rows_ = std::max(smallest_limit, 2 * largest);
  most_entries_ = Offset{smallest_limit} * smallest_limit + most_growth * panel_entries;
}

Index DelayLimits::most_delayed(const FrontTree& tree, Index f, Offset entries) const {
  if (entries > most_entries_) return 0;
  return std::max(0, most_rows_ - tree.height[usize(f)]);
}

template <Scalar T>
void insert_redone(RedoneFronts<T> redone, const FrontTree& tree, Factors<T>& factors) {
  if (redone.front.empty()) return;
  const auto planned = factors.structure;  // keeps it alive until the end
  std::vector<char> by_supernode(usize(planned->supernodes()), 0);
  for (const Index f : redone.front) {
    for (const Index k : tree.members(f)) by_supernode[usize(k)] = 1;
  }
  std::ranges::stable_sort(redone.piece, {}, &Piece<T>::supernode);
  Reshaping<T>(factors, by_supernode, redone.piece).restructure();
}

#define TRISWEEP_INSTANTIATE(T)                                       \
  template std::vector<Index> shapes_of(const RedoneFronts<T>&);      \
  template void add_shapes(std::span<const Index>, RedoneFronts<T>&); \
  template void insert_redone<T>(RedoneFronts<T>, const FrontTree&, Factors<T>&);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
