#include "trisweep/compression/packed_panel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>

namespace trisweep::compression {
namespace {

constexpr auto table_of_precisions =
    std::to_array<NamedPrecision>({{"adaptive", Precision::adaptive}, {"double", Precision::full}});

// How columns are written: the bits of a number and the step between numbers.
struct Choice {
  Bits bits = whole;
  double step = 1;
};

// Integer multiples of a step in the place of `count` real numbers.
class Rounding {
 public:
  Rounding(double step, int bits) : inverse_(step == 0 ? 0 : 1 / step), limit_(largest_integer(bits)) {}

  double operator()(double number) const {
    // Numbers next to it are integers.
    constexpr double integers = 0x1.8p52;
    return std::clamp(number * inverse_ + integers - integers, -limit_, limit_);
  }

 private:
  const double inverse_, limit_;
};

template <class R>
double squared_error(std::span<const R> numbers, const Choice& choice) {
  const Rounding rounded(choice.step, choice.bits);
  double sum = 0;
  for (const R number : numbers) {
    const double error = double(number) - choice.step * rounded(double(number));
    sum += error * error;
  }
  return sum;
}

template <class R>
double largest_of(std::span<const R> numbers) {
  double largest = 0;
  for (const R number : numbers) largest = std::max(largest, std::abs(double(number)));
  return largest;
}

// The fewest bits in which the real numbers are off by at most `allowed` in the Euclidean norm. Errors of
// rounding are evenly spread, step / sqrt(12) in the mean: that many bits are tried first.
template <class R>
Choice fewest_bits(std::span<const R> numbers, double allowed, Precision precision) {
  constexpr int most = std::min<int>(most_bits, 8 * sizeof(R) - 1);
  const double largest = largest_of(numbers);
  if (precision == Precision::full || !(allowed > 0) || !(largest == 0 || largest > DBL_MIN * 0x1p60))
    return {};
  const double steps = largest * std::sqrt(double(numbers.size()) / 12) / allowed;
  if (!(steps < largest_integer(most))) return {};
  int bits = std::max(least_bits, 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(steps))));
  for (; bits <= most; ++bits) {
    const Choice choice{static_cast<Bits>(bits), step_from(largest / largest_integer(bits))};
    if (squared_error(numbers, choice) <= allowed * allowed) return choice;
  }
  return {};
}

template <class V>
void append(std::vector<std::byte>& bytes, const V* values, std::size_t count) {
  const auto* const from = reinterpret_cast<const std::byte*>(values);
  bytes.insert(bytes.end(), from, from + count * sizeof(V));
}

// The next group of a column.
template <class R>
void append_group(std::vector<std::byte>& bytes, std::span<const R> numbers, const Choice& choice) {
  if (choice.bits == whole) return append(bytes, numbers.data(), numbers.size());
  const Rounding rounded(choice.step, choice.bits);
  std::uint64_t waiting = 0;  // the lowest bits go first
  int bits = 0;
  for (const R number : numbers) {
    const auto integer = static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded(double(number))));
    waiting |= (integer & ((std::uint64_t{1} << choice.bits) - 1)) << bits;
    for (bits += choice.bits; bits >= 8; bits -= 8, waiting >>= 8) bytes.push_back(std::byte(waiting));
  }
  if (bits > 0) bytes.push_back(std::byte(waiting));
}

template <Scalar T>
class PanelWriter {
  using R = RealOf<T>;
  static constexpr std::size_t parts = is_complex<T> ? 2 : 1;

 public:
  PanelWriter(numeric::View<const T> block, std::vector<std::byte>& bytes)
      : block_(block), reals_(usize(block.rows) * parts), bytes_(bytes) {}

  std::span<const R> column(Index j) const { return {reinterpret_cast<const R*>(block_.column(j)), reals_}; }

  // Of all columns, or (if `own`) of each.
  void write(std::vector<Choice> choice, bool own) {
    PanelHead head{.unit = choice.empty() ? 1 : choice.front().step,
                   .rows = block_.rows,
                   .cols = block_.cols,
                   .bits = choice.empty() ? whole : choice.front().bits,
                   .own = own};
    if (own) {
      double largest = 0;
      for (const Choice& c : choice) largest = std::max(largest, c.bits == whole ? 0 : c.step);
      head.unit = largest == 0 ? 1 : std::exp2(std::ilogb(largest) + 1);
    } else {
      choice.assign(usize(block_.cols), choice.front());
    }
    append(bytes_, &head, 1);
    for (Index first = 0; first < block_.cols; first += strip_cols) {
      const Index cols = std::min(strip_cols, block_.cols - first);
      const std::span<const Choice> strip(choice.data() + first, usize(cols));
      if (own) write_own(strip, head.unit);
      write_numbers(first, strip);
    }
    std::size_t behind = own ? read_behind_columns : 0;
    for (const Choice& c : choice) behind = std::max(behind, read_behind(c.bits));
    bytes_.resize((bytes_.size() + behind + 7) / 8 * 8);
  }

 private:
  void write_own(std::span<const Choice> strip, double unit) {
    for (const Choice& c : strip) append(bytes_, &c.bits, 1);
    for (const Choice& c : strip) {
      const Multiple multiple = multiple_of(c.step, unit);
      append(bytes_, &multiple, 1);
    }
  }

  void write_numbers(Index first, std::span<const Choice> strip) {
    for (std::size_t row = 0; row < reals_; row += slab_reals) {
      const std::size_t end = std::min(row + slab_reals, reals_);
      for (std::size_t c = 0; c < strip.size(); ++c) {
        const std::span<const R> numbers = column(first + static_cast<Index>(c));
        for (std::size_t i = row; i < end; i += group)
          append_group(bytes_, numbers.subspan(i, std::min<std::size_t>(group, end - i)), strip[c]);
      }
    }
  }

  const numeric::View<const T> block_;
  const std::size_t reals_;
  std::vector<std::byte>& bytes_;
};

}  // namespace

std::span<const NamedPrecision> precisions() {
  return table_of_precisions;
}

template <Scalar T>
void pack_columns(numeric::View<const T> block, std::span<const double> allowed, Precision precision,
                  std::vector<std::byte>& bytes) {
  PanelWriter<T> writer(block, bytes);
  std::vector<Choice> choice;
  for (Index j = 0; j < block.cols; ++j)
    choice.push_back(fewest_bits(writer.column(j), allowed[usize(j)], precision));
  writer.write(std::move(choice), true);
}

template <Scalar T>
void pack_block(numeric::View<const T> block, double allowed, Precision precision,
                std::vector<std::byte>& bytes) {
  std::vector<T> numbers;
  for (Index j = 0; j < block.cols; ++j)
    numbers.insert(numbers.end(), block.column(j), block.column(j) + block.rows);
  const std::span reals(reinterpret_cast<const RealOf<T>*>(numbers.data()),
                        numbers.size() * (is_complex<T> ? 2 : 1));
  PanelWriter<T>(block, bytes).write({fewest_bits(reals, allowed, precision)}, false);
}

template <Scalar T>
ColumnErrors share_error(const LowRank<T>& block, double allowed) {
  ColumnErrors errors;
  const double each = allowed / 2 / std::sqrt(std::max(1.0, double(block.rank)));
  for (Index k = 0; k < block.rank; ++k) {
    double squared = 0;
    for (Index i = 0; i < block.rows; ++i) squared += double(std::norm(block.u_column(k)[i]));
    errors.u.push_back(each);
    errors.v.push_back(squared == 0 ? HUGE_VAL : each / std::sqrt(squared));
  }
  return errors;
}

#define INSTANTIATE(T)                                                                          \
  template void pack_columns(numeric::View<const T>, std::span<const double>, Precision,        \
                             std::vector<std::byte>&);                                          \
  template void pack_block(numeric::View<const T>, double, Precision, std::vector<std::byte>&); \
  template ColumnErrors share_error(const LowRank<T>&, double);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression
