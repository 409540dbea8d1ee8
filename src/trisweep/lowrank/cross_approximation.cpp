#include "trisweep/lowrank/cross_approximation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::lowrank {
namespace {

constexpr auto table_of_crosses = std::to_array<NamedCross>({{"aca", Cross::aca}, {"aca+", Cross::aca_plus}});

// An approximation is accepted when a fresh sample of rows and columns, and a grid of entries all over the
// block, show no more error than its accuracy allows. A sample is as small as smooth kernels permit, a
// fraction of the rank. Neighbouring points of a cluster are near each other, so that the error left by a
// kink or a jump fills boxes of the block: boxes of a sixteenth of its rows and columns do not escape the
// first grid. After crosses that drop to nothing at once, where those of smooth kernels fade, and if only
// zeros were found, boxes may be smaller, and the grid is finer. Each sample or grid after one that has found
// an error is larger. If no error is allowed, all entries are checked once, and a block with an error becomes
// dense.
constexpr double share_of_sample = 0.1;
constexpr Index first_grid = 16;
constexpr Index grid_after_drop = 64;
constexpr Index last_grid = 256;
constexpr double drop = 1000;  // such a drop: the last crosses are so much larger than the allowed error
constexpr Index growth_of_sample = 2;

template <Scalar T>
double squared(const std::vector<T>& x) {
  double sum = 0;
  for (const T& value : x) sum += squared_modulus(value);
  return sum;
}

// x^H y.
template <Scalar T>
std::complex<double> product(const T* x, const T* y, Index size) {
  using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  Wide sum = 0;
  for (Index i = 0; i < size; ++i) sum += conjugate(Wide(x[i])) * Wide(y[i]);
  return sum;
}

// Index of the entry of largest modulus among the unused ones; -1 if there is none.
template <Scalar T>
Index largest(const std::vector<T>& x, const std::vector<char>& used) {
  Index best = -1;
  RealOf<T> size = -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (used[i] != 0 || !(std::abs(x[i]) > size)) continue;
    best = static_cast<Index>(i);
    size = std::abs(x[i]);
  }
  return best;
}

template <Scalar T>
class CrossBuilder {
 public:
  CrossBuilder(const Entries<T>& entries, const CrossOptions& options)
      : entries_(entries),
        options_(options),
        most_(
            static_cast<Index>(Offset{entries.rows()} * entries.cols() / (entries.rows() + entries.cols()))),
        row_used_(usize(entries.rows())),
        column_used_(usize(entries.cols())),
        row_(usize(entries.cols())),
        column_(usize(entries.rows())) {
    sum_.rows = entries.rows();
    sum_.cols = entries.cols();
  }

  CrossResult<T> run() {
    bool converged = options_.method == Cross::aca ? run_aca() : run_aca_plus();
    if (converged && !is_enough() && options_.accuracy.allowed(1) == 0) {  // checks the whole block, once
      grid_ = sum_.rows + sum_.cols;
      converged = !grid_shows_more();
    }
    if (const RealOf<T> unit = unit_.value_or(1); unit != 1)
      for (T& value : sum_.u) value /= unit;
    return {std::move(sum_), converged && std::isfinite(squared_norm_) && std::isfinite(reference_size())};
  }

 private:
  // A row or column of the residual, updated with every cross.
  struct Reference {
    Index at;
    std::vector<T> residual;
  };
  struct Pivot {
    Index row = -1, col = -1;
    double size = -1;
    bool in_column = false;  // found in a reference column
  };

  bool run_aca() {
    Index i = 0;
    while (true) {
      residual_row(i, row_);
      const Index j = largest(row_, column_used_);
      if (j < 0) return false;  // not a number
      if (!is_nothing(std::abs(row_[usize(j)]))) {
        residual_column(j, column_);
        add(i, j);
        if (is_enough()) return true;
        if (sum_.rank >= most_ || !std::isfinite(last_size_)) return false;
        i = largest(column_, row_used_);
        if (i >= 0 && last_size_ > allowed()) continue;
      }
      if (!sample_shows_more()) return true;
      i = largest_of_references().row;
    }
  }

  bool run_aca_plus() {
    refer_to(1);
    bool followed = false;  // a cross was added since the references were chosen
    while (!row_references_.empty() && !column_references_.empty()) {
      const bool small = is_nothing(largest_of_references().size) || reference_size() <= allowed();
      if (small && followed && last_size_ > allowed()) {
        refer_to(1);
        followed = false;
        continue;
      }
      if (small && !sample_shows_more()) return true;
      if (sum_.rank >= most_ || !add_next(largest_of_references())) return false;
      if (is_enough()) return true;
      if (!std::isfinite(last_size_)) return false;
      followed = true;
    }
    return true;
  }

  // Adds the next cross: its pivot is the largest entry of the row or column of `found` that is not the
  // reference. False if it would be zero.
  bool add_next(const Pivot& found) {
    Index i = found.row, j = found.col;
    if (i < 0 || j < 0) return false;
    if (found.in_column) {
      residual_row(i, row_);
      j = largest(row_, column_used_);
      if (j < 0) return false;
      residual_column(j, column_);
    } else {
      residual_column(j, column_);
      i = largest(column_, row_used_);
      if (i < 0) return false;
      residual_row(i, row_);
    }
    if (row_[usize(j)] == T{}) return false;
    add(i, j);
    const T* const u = sum_.u_column(sum_.rank - 1);
    const T* const v = sum_.v_column(sum_.rank - 1);
    for (Reference& row : row_references_)
      for (Index k = 0; k < sum_.cols; ++k) row.residual[usize(k)] -= u[row.at] * v[k];
    for (Reference& column : column_references_)
      for (Index k = 0; k < sum_.rows; ++k) column.residual[usize(k)] -= u[k] * v[column.at];
    return true;
  }

  // Whether other rows and columns show more error than allowed; then they become the references.
  bool sample_shows_more() {
    const Index least = last_size_ <= allowed() ? 1 : 2;  // 1: the last cross is small already
    if (sample_ == 0) sample_ = std::max(least, static_cast<Index>(share_of_sample * sum_.rank));
    turn_ += turn_ % 2;  // nearest and farthest first
    refer_to(sample_);
    if (is_nothing(largest_of_references().size) || reference_size() <= allowed()) return grid_shows_more();
    sample_ = std::min(growth_of_sample * sample_, sum_.rows + sum_.cols);
    return true;
  }

  // Whether a grid of entries shows more error than allowed; then the row and column of the largest entry
  // become the references.
  bool grid_shows_more() {
    if (sum_.rank == 0 || std::max(last_size_, size_before_) > drop * allowed())
      grid_ = std::max(grid_, grid_after_drop);
    const std::uint64_t shift = split_mix(std::uint64_t(++turn_));
    const std::vector<Index> rows = spread(sum_.rows, shift), cols = spread(sum_.cols, shift);
    std::vector<T> part(cols.size());
    Pivot found;
    double sum = 0;
    for (const Index i : rows) {
      if (row_used_[usize(i)] != 0) continue;
      entries_.row(i, cols, part.data());
      to_unit(part);
      for (std::size_t c = 0; c < cols.size() && std::isfinite(sum); ++c) {
        if (column_used_[usize(cols[c])] != 0) continue;
        T residual = part[c];
        for (Index k = 0; k < sum_.rank; ++k) residual -= sum_.u_column(k)[i] * sum_.v_column(k)[cols[c]];
        const double size = double(std::abs(residual));
        sum += size * size;
        if (!(size <= found.size)) found = {i, cols[c], size};
      }
    }
    const double norm = std::sqrt(sum / double(rows.size() * cols.size()) * sum_.rows * sum_.cols);
    if (is_nothing(found.size) || norm <= allowed()) return false;
    grid_ = std::min(growth_of_sample * grid_, last_grid);
    row_references_.assign(1, {found.row, {}});
    column_references_.assign(1, {found.col, {}});
    residual_row(found.row, row_references_[0].residual);
    residual_column(found.col, column_references_[0].residual);
    return true;
  }
  // The places of a grid among `size`, or all of them.
  std::vector<Index> spread(Index size, std::uint64_t shift) const {
    std::vector<Index> places(usize(std::min(size, grid_)));
    for (std::size_t k = 0; k < places.size(); ++k)
      places[k] = static_cast<Index>((k * usize(size) + shift % usize(size)) / places.size());
    return places;
  }

  void refer_to(Index count) {
    row_references_.clear();
    column_references_.clear();
    std::vector<char> row_taken = row_used_, column_taken = column_used_;
    for (Index k = 0; k < count; ++k) {
      ++turn_;
      const Index i = pick(row_taken, options_.rows, turn_);
      const Index j = pick(column_taken, options_.columns, turn_ + 2);
      if (i >= 0) residual_row(i, row_references_.emplace_back(Reference{i, {}}).residual);
      if (j >= 0) residual_column(j, column_references_.emplace_back(Reference{j, {}}).residual);
    }
  }
  // In turn the nearest of the free ones, any, the farthest, any; -1 if none is free.
  static Index pick(std::vector<char>& taken, const Ends& ends, Index turn) {
    Index at = -1;
    if (ends.near.empty() || turn % 2 == 0) {
      at = some_free(taken, turn);
    } else {
      const bool nearest = turn % 4 == 1;
      const auto is_before = [&](Index i, Index j) {
        return nearest ? ends.near[usize(i)] < ends.near[usize(j)] : ends.far[usize(i)] > ends.far[usize(j)];
      };
      for (Index i = 0; i < static_cast<Index>(taken.size()); ++i)
        if (taken[usize(i)] == 0 && (at < 0 || is_before(i, at))) at = i;
    }
    if (at >= 0) taken[usize(at)] = 1;
    return at;
  }

  Pivot largest_of_references() const {
    Pivot best;
    for (const Reference& column : column_references_) {
      const Index i = largest(column.residual, row_used_);
      const double size = i < 0 ? -1 : double(std::abs(column.residual[usize(i)]));
      if (size > best.size) best = {i, column.at, size, true};
    }
    for (const Reference& row : row_references_) {
      const Index j = largest(row.residual, column_used_);
      const double size = j < 0 ? -1 : double(std::abs(row.residual[usize(j)]));
      if (size >= best.size) best = {row.at, j, size, false};
    }
    return best;
  }
  // The norm of the residual, estimated from the references.
  double reference_size() const {
    const auto estimate = [](const std::vector<Reference>& references, Index all) {
      double sum = 0;
      for (const Reference& reference : references) sum += squared(reference.residual);
      return references.empty() ? 0 : sum / double(references.size()) * all;
    };
    const double by_rows = estimate(row_references_, sum_.rows);
    const double by_columns = estimate(column_references_, sum_.cols);
    return by_rows > by_columns || std::isnan(by_rows) ? std::sqrt(by_rows) : std::sqrt(by_columns);
  }

  // A free one, pseudorandom by `k`; -1 if none is free.
  static Index some_free(const std::vector<char>& used, Index k) {
    const auto size = static_cast<Index>(used.size());
    const auto from = static_cast<Index>(split_mix(std::uint64_t(k)) % std::uint64_t(size));
    for (Index i = 0; i < size; ++i) {
      const Index at = (from + i) % size;
      if (used[usize(at)] == 0) return at;
    }
    return -1;
  }

  // Scales entries to a unit, a power of two: where squares may leave the range of numbers, the first nonzero
  // entries found become of order one; elsewhere the unit is 1.
  void to_unit(std::vector<T>& entries) {
    if (!unit_) {
      const auto norm = numeric::norm_two<T>(entries);
      if (!(norm > 0 && std::isfinite(norm))) return;
      constexpr int most = std::numeric_limits<RealOf<T>>::max_exponent - 2, far = most / 4;
      const int exponent = std::ilogb(norm);
      unit_ = std::abs(exponent) < far ? 1 : std::ldexp(RealOf<T>(1), std::clamp(-exponent, -most, most));
    }
    if (*unit_ == 1) return;
    for (T& value : entries) value *= *unit_;
  }
  void residual_row(Index i, std::vector<T>& row) {
    row.resize(usize(sum_.cols));
    entries_.row(i, row.data());
    to_unit(row);
    for (Index k = 0; k < sum_.rank; ++k) {
      const T* const v = sum_.v_column(k);
      const T factor = sum_.u_column(k)[i];
      for (Index j = 0; j < sum_.cols; ++j) row[usize(j)] -= factor * v[j];
    }
  }
  void residual_column(Index j, std::vector<T>& column) {
    column.resize(usize(sum_.rows));
    entries_.column(j, column.data());
    to_unit(column);
    for (Index k = 0; k < sum_.rank; ++k) {
      const T* const u = sum_.u_column(k);
      const T factor = sum_.v_column(k)[j];
      for (Index i = 0; i < sum_.rows; ++i) column[usize(i)] -= factor * u[i];
    }
  }

  // Adds the cross of row_ and column_, and its part of ||sum||^2.
  void add(Index i, Index j) {
    const T pivot = row_[usize(j)];
    for (T& value : row_) value /= pivot;
    std::complex<double> shared = 0;
    for (Index k = 0; k < sum_.rank; ++k)
      shared += product(sum_.u_column(k), column_.data(), sum_.rows) *
                product(sum_.v_column(k), row_.data(), sum_.cols);
    const double size = squared(column_) * squared(row_);
    squared_norm_ += 2 * shared.real() + size;
    size_before_ = std::exchange(last_size_, std::sqrt(size));
    largest_pivot_ = std::max(largest_pivot_, double(std::abs(pivot)));
    sum_.u.insert(sum_.u.end(), column_.begin(), column_.end());
    sum_.v.insert(sum_.v.end(), row_.begin(), row_.end());
    ++sum_.rank;
    row_used_[usize(i)] = column_used_[usize(j)] = 1;
  }

  bool is_enough() const { return options_.most_rank > 0 && sum_.rank >= options_.most_rank; }
  double allowed() const {
    const double unit = unit_.value_or(1);
    return options_.accuracy.allowed(std::sqrt(std::max(0.0, squared_norm_)) / unit) * unit;
  }
  bool is_nothing(double pivot) const {
    return pivot <= std::numeric_limits<RealOf<T>>::epsilon() * largest_pivot_;
  }

  const Entries<T>& entries_;
  const CrossOptions& options_;
  const Index most_;  // crosses that take as much memory as the dense block
  LowRank<T> sum_;    // scaled by unit_
  std::optional<RealOf<T>> unit_;
  std::vector<char> row_used_, column_used_;
  std::vector<T> row_, column_;
  std::vector<Reference> row_references_, column_references_;
  Index turn_ = 0;    // of references
  Index sample_ = 0;  // rows and columns of the next sample; 0: not known yet
  Index grid_ = first_grid;
  double squared_norm_ = 0;  // of the sum
  double last_size_ = 0;     // of the last cross
  double size_before_ = 0;   // of the one before
  double largest_pivot_ = 0;
};

}  // namespace

std::span<const NamedCross> crosses() {
  return table_of_crosses;
}

template <Scalar T>
CrossResult<T> cross_approximation(const Entries<T>& entries, const CrossOptions& options) {
  return CrossBuilder<T>(entries, options).run();
}

#define INSTANTIATE(T) template CrossResult<T> cross_approximation(const Entries<T>&, const CrossOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::lowrank
