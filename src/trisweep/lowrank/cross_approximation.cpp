#include "trisweep/lowrank/cross_approximation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::lowrank {
namespace {

constexpr auto table_of_crosses = std::to_array<NamedCross>({{"aca", Cross::aca}, {"aca+", Cross::aca_plus}});

// A residual with nothing in a reference row and column may have something elsewhere: so many others are
// looked at before it counts as zero.
constexpr int other_references = 8;

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

// Where the entry of largest modulus is, among those that are free; -1 where none is.
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
    const bool converged = options_.method == Cross::aca ? run_aca() : run_aca_plus();
    if (const RealOf<T> unit = unit_.value_or(1); unit != 1)
      for (T& value : sum_.u) value /= unit;
    return {std::move(sum_), converged && std::isfinite(squared_norm_)};
  }

 private:
  bool run_aca() {
    Index i = 0;
    int vain = 0;
    while (i >= 0) {
      residual_row(i, row_);
      const Index j = largest(row_, column_used_);
      if (j < 0) return false;  // not a number
      if (is_nothing(row_[usize(j)])) {
        row_used_[usize(i)] = 1;
        i = ++vain > other_references ? -1 : some_free(row_used_, vain);
        continue;
      }
      residual_column(j, column_);
      add(i, j);
      if (last_size_ <= allowed() || is_enough()) return true;
      if (sum_.rank >= most_ || !std::isfinite(last_size_)) return false;
      i = largest(column_, row_used_);
    }
    return true;
  }

  bool run_aca_plus() {
    choose_reference_column();
    choose_reference_row();
    int vain = 0;
    while (reference_i_ >= 0 && reference_j_ >= 0) {
      const Index i = largest(reference_column_, row_used_), j = largest(reference_row_, column_used_);
      if (i < 0 || j < 0) return false;  // not numbers
      const bool by_row = std::abs(reference_column_[usize(i)]) > std::abs(reference_row_[usize(j)]);
      if (is_nothing(by_row ? reference_column_[usize(i)] : reference_row_[usize(j)])) {
        if (++vain > other_references) return true;
        choose_others(vain);
        continue;
      }
      if (!add_next(by_row, i, j)) return false;
      if ((last_size_ <= allowed() && reference_size() <= allowed()) || is_enough()) return true;
      if (sum_.rank >= most_ || !std::isfinite(last_size_)) return false;
    }
    return true;
  }

  // The pivot is the largest entry of row i, or else of column j. False: it is not a number.
  bool add_next(bool by_row, Index i, Index j) {
    if (by_row) {
      residual_row(i, row_);
      j = largest(row_, column_used_);
      residual_column(j, column_);
    } else {
      residual_column(j, column_);
      i = largest(column_, row_used_);
      if (i < 0) return false;
      residual_row(i, row_);
    }
    if (j < 0 || row_[usize(j)] == T{}) return false;
    add(i, j);
    const T* const u = sum_.u_column(sum_.rank - 1);
    const T* const v = sum_.v_column(sum_.rank - 1);
    for (Index k = 0; k < sum_.rows; ++k) reference_column_[usize(k)] -= u[k] * v[reference_j_];
    for (Index k = 0; k < sum_.cols; ++k) reference_row_[usize(k)] -= u[reference_i_] * v[k];
    if (j == reference_j_) choose_reference_column();
    if (i == reference_i_) choose_reference_row();
    return true;
  }

  // In the first free column; then in the row where that column is smallest, which says most that is new.
  void choose_reference_column() {
    reference_j_ = some_free(column_used_, sum_.rank);
    if (reference_j_ >= 0) residual_column(reference_j_, reference_column_);
  }
  void choose_reference_row() {
    reference_i_ = -1;
    for (Index i = 0; i < sum_.rows; ++i) {
      if (row_used_[usize(i)] == 0 &&
          (reference_i_ < 0 ||
           std::abs(reference_column_[usize(i)]) < std::abs(reference_column_[usize(reference_i_)])))
        reference_i_ = i;
    }
    if (reference_i_ >= 0) residual_row(reference_i_, reference_row_);
  }
  void choose_others(int round) {
    row_used_[usize(reference_i_)] = column_used_[usize(reference_j_)] = 1;
    reference_j_ = some_free(column_used_, sum_.rank + round);
    reference_i_ = some_free(row_used_, sum_.rank + round);
    if (reference_j_ >= 0) residual_column(reference_j_, reference_column_);
    if (reference_i_ >= 0) residual_row(reference_i_, reference_row_);
  }

  // One that is free, for each number `k` another one where there are many; -1 where none is.
  static Index some_free(const std::vector<char>& used, Index k) {
    const auto size = static_cast<Index>(used.size());
    const auto from = static_cast<Index>(split_mix(std::uint64_t(k)) % std::uint64_t(size));
    for (Index i = 0; i < size; ++i) {
      const Index at = (from + i) % size;
      if (used[usize(at)] == 0) return at;
    }
    return -1;
  }

  // In a unit, a power of two, in which the first entries found are of order one where their squares may be
  // out of the range of numbers.
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

  // The cross of row_ and column_, and its part of ||sum||^2.
  void add(Index i, Index j) {
    const T pivot = row_[usize(j)];
    for (T& value : row_) value /= pivot;
    std::complex<double> shared = 0;
    for (Index k = 0; k < sum_.rank; ++k)
      shared += product(sum_.u_column(k), column_.data(), sum_.rows) *
                product(sum_.v_column(k), row_.data(), sum_.cols);
    const double size = squared(column_) * squared(row_);
    squared_norm_ += 2 * shared.real() + size;
    last_size_ = std::sqrt(size);
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
  // What the norm of the residual is, for all that the references say.
  double reference_size() const {
    return std::max(std::sqrt(squared(reference_column_) * sum_.cols),
                    std::sqrt(squared(reference_row_) * sum_.rows));
  }
  bool is_nothing(const T& pivot) const {
    return double(std::abs(pivot)) <= std::numeric_limits<RealOf<T>>::epsilon() * largest_pivot_;
  }

  const Entries<T>& entries_;
  const CrossOptions& options_;
  const Index most_;  // crosses, which take as much memory as the dense block
  LowRank<T> sum_;    // in the unit
  std::optional<RealOf<T>> unit_;
  std::vector<char> row_used_, column_used_;
  std::vector<T> row_, column_;
  Index reference_i_ = -1, reference_j_ = -1;
  std::vector<T> reference_row_, reference_column_;
  double squared_norm_ = 0;  // of the sum
  double last_size_ = 0;     // of the last cross
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
