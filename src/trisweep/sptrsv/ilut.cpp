#include "trisweep/sptrsv/ilut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "trisweep/core/error.hpp"
#include "trisweep/sptrsv/ilu0.hpp"

namespace trisweep::sptrsv {
namespace {

template <Scalar T>
using Row = std::map<Index, T>;  // by column

template <Scalar T>
class Elimination {
 public:
  Elimination(const matrix::Csr<T>& a, const Fill& fill) : a_(a), fill_(fill) {
    pattern_.rows = pattern_.cols = a.rows();
  }

  matrix::Pattern pattern() {
    for (Index i = 0; i < a_.rows(); ++i) {
      Row<T> row = eliminated(i);
      keep_largest(row, i);
      for (const auto& [j, value] : row) pattern_.col.push_back(j);
      pattern_.row_ptr.push_back(static_cast<Offset>(pattern_.col.size()));
      const T pivot = row.at(i);
      if (pivot == T(0) || !std::isfinite(std::abs(pivot)))
        throw Error(
            ErrorKind::numerical,
            fmt::format("the incomplete factorization has a zero pivot in row {} (counting from 0)", i),
            "use lu, or another order of the unknowns");
      upper_.emplace_back(row.lower_bound(i), row.end());
    }
    return std::move(pattern_);
  }

 private:
  bool is_of_a(Index row, Index column) const {
    return std::ranges::binary_search(a_.pattern.row(row), column);
  }

  // Returns row i minus multiples of the rows above, without small fill.
  Row<T> eliminated(Index i) const {
    Row<T> row;
    double norm = 0;
    for (const Offset e : a_.pattern.entries(i)) {
      row[a_.pattern.col[usize(e)]] = a_.value[usize(e)];
      norm = std::hypot(norm, double(std::abs(a_.value[usize(e)])));
    }
    const auto is_small = [&](Index j, const T& value) {
      return j != i && !is_of_a(i, j) && double(std::abs(value)) < fill_.drop * norm;
    };
    for (auto entry = row.begin(); entry != row.end() && entry->first < i;) {
      if (is_small(entry->first, entry->second)) {
        entry = row.erase(entry);
        continue;
      }
      const auto& above = upper_[usize(entry->first)];
      const T factor = entry->second /= above.front().second;
      for (auto other = above.begin() + 1; other != above.end(); ++other)
        row[other->first] -= factor * other->second;
      ++entry;
    }
    std::erase_if(row,
                  [&](const auto& entry) { return entry.first > i && is_small(entry.first, entry.second); });
    return row;
  }

  // Keeps the largest fill on each side of the diagonal.
  void keep_largest(Row<T>& row, Index i) const {
    for (const bool upper : {false, true}) {
      std::vector<std::pair<double, Index>> extra;
      for (const auto& [j, value] : row) {
        if (j == i || (j > i) != upper || is_of_a(i, j)) continue;
        // Entries of L are compared by what they eliminate from row i: both sides are in units of that row.
        const T taken_away = upper ? value : value * upper_[usize(j)].front().second;
        extra.emplace_back(-double(std::abs(taken_away)), j);
      }
      std::ranges::sort(extra);
      for (std::size_t e = usize(fill_.per_row); e < extra.size(); ++e) row.erase(extra[e].second);
    }
  }

  const matrix::Csr<T>& a_;
  const Fill& fill_;
  matrix::Pattern pattern_;
  std::vector<std::vector<std::pair<Index, T>>> upper_;  // rows of U so far, from the diagonal on
};

}  // namespace

template <Scalar T>
matrix::Pattern ilut_pattern(const matrix::Csr<T>& a, const Fill& fill) {
  matrix::require_consistent(a);
  diagonals_of(a.pattern);
  return Elimination<T>(a, fill).pattern();
}

#define INSTANTIATE(T) template matrix::Pattern ilut_pattern(const matrix::Csr<T>&, const Fill&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
