#include "trisweep/lowrank/packed_panel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

namespace trisweep::lowrank {
namespace {

constexpr auto table_of_precisions =
    std::to_array<NamedPrecision>({{"adaptive", Precision::adaptive}, {"double", Precision::full}});

// Rounds numbers to integer multiples of a step.
class Rounding {
 public:
  explicit Rounding(const Format& format)
      : inverse_(format.step == 0 ? 0 : 1 / format.step),
        limit_(format.bits == whole ? 0 : largest_integer(format.bits)) {}

  double operator()(double number) const {
    // All doubles near this number are integers.
    constexpr double integers = 0x1.8p52;
    return std::clamp(number * inverse_ + integers - integers, -limit_, limit_);
  }

 private:
  const double inverse_, limit_;
};

template <class R>
double squared_error(std::span<const R> numbers, const Format& format) {
  const Rounding rounded(format);
  return std::transform_reduce(numbers.begin(), numbers.end(), 0.0, std::plus<>{}, [&](double number) {
    const double error = number - format.step * rounded(number);
    return error * error;
  });
}

template <class R>
double largest_of(std::span<const R> numbers) {
  double largest = 0;
  for (const R number : numbers) largest = std::max(largest, std::abs(double(number)));
  return largest;
}

// The fewest bits in which the real numbers are off by at most `allowed` in the Euclidean norm. Rounding
// errors are uniformly distributed, with root mean square step / sqrt(12): the bits that this gives are tried
// first.
template <class R>
Format fewest_bits(std::span<const R> numbers, double allowed, Precision precision) {
  constexpr int most = std::min<int>(most_bits, 8 * sizeof(R) - 1);
  const double largest = largest_of(numbers);
  if (precision == Precision::full || !(allowed > 0) || !(largest == 0 || largest > DBL_MIN * 0x1p60))
    return {};
  const double steps = largest * std::sqrt(double(numbers.size()) / 12) / allowed;
  if (!(steps < largest_integer(most))) return {};
  int bits = std::max(least_bits, 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(steps))));
  for (; bits <= most; ++bits) {
    const Format format{static_cast<Bits>(bits), step_from(largest / largest_integer(bits))};
    if (squared_error(numbers, format) <= allowed * allowed) return format;
  }
  return {};
}

template <class V>
std::byte* put(std::byte* to, const V* values, std::size_t count) {
  std::memcpy(to, values, count * sizeof(V));
  return to + count * sizeof(V);
}

// Writes the next group of a column.
template <class R>
std::byte* put_group(std::byte* to, std::span<const R> numbers, Bits bits, const Rounding& rounded) {
  if (bits == whole) return put(to, numbers.data(), numbers.size());
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t waiting = 0;  // the lowest bits go first
  int count = 0;
  for (const R number : numbers) {
    const auto integer = static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded(double(number))));
    waiting |= (integer & mask) << count;
    for (count += bits; count >= 16; count -= 16, waiting >>= 16) {
      const auto two_bytes = static_cast<std::uint16_t>(waiting);
      to = put(to, &two_bytes, 1);
    }
  }
  for (; count > 0; count -= 8, waiting >>= 8) *to++ = std::byte(waiting);
  return to;
}

template <Scalar T>
constexpr std::size_t parts = is_complex<T> ? 2 : 1;

// Bytes of a column of `reals` real numbers.
template <class R>
std::size_t bytes_of_column(std::size_t reals, Bits bits) {
  if (reals == 0) return 0;
  return (groups_of(reals) - 1) * bytes_of_group<R>(bits) + bytes_of_group<R>(bits, numbers_at_end(reals));
}
// Rounded up to a multiple of eight bytes, with those that kernels may read behind the data.
constexpr std::size_t whole_size(std::size_t bytes, std::size_t behind) {
  return (bytes + behind + 7) / 8 * 8;
}

template <Scalar T>
class PanelWriter {
  using R = RealOf<T>;

 public:
  PanelWriter(numeric::View<const T> block, std::vector<std::byte>& bytes)
      : block_(block), reals_(usize(block.rows) * parts<T>), bytes_(bytes) {}

  std::span<const R> column(Index j) const { return {reinterpret_cast<const R*>(block_.column(j)), reals_}; }

  // Writes all columns in one format.
  void write(const Format& format) {
    const std::size_t size = packed_size<T>(block_.rows, block_.cols, format);
    std::byte* at =
        begin(size, {.unit = format.step, .rows = 0, .cols = 0, .bits = format.bits, .own = false});
    const std::vector<Format> all(usize(std::min(packed_block_cols, block_.cols)), format);
    for (Index first = 0; first < block_.cols; first += packed_block_cols)
      at = put_numbers(at, first, std::span(all).first(usize(cols_from(first))));
  }

  // Writes each column in its own format.
  void write(std::span<const Format> formats) {
    std::size_t size = sizeof(PanelHead), behind = read_behind_columns;
    double largest = 0;
    for (const Format& f : formats) {
      size += sizeof f.bits + sizeof(Multiple) + bytes_of_column<R>(reals_, f.bits);
      behind = std::max(behind, read_behind(f.bits));
      largest = std::max(largest, f.bits == whole ? 0 : f.step);
    }
    const double unit = largest == 0 ? 1 : std::exp2(std::ilogb(largest) + 1);
    std::byte* at = begin(whole_size(size, behind), {.unit = unit, .rows = 0, .cols = 0, .own = true});
    for (Index first = 0; first < block_.cols; first += packed_block_cols) {
      const auto packed_block = formats.subspan(usize(first), usize(cols_from(first)));
      at = put_numbers(put_formats(at, packed_block, unit), first, packed_block);
    }
  }

 private:
  Index cols_from(Index first) const { return std::min(packed_block_cols, block_.cols - first); }

  // Appends room for the panel, writes its head, and returns what follows the head.
  std::byte* begin(std::size_t size, PanelHead head) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    head.rows = block_.rows;
    head.cols = block_.cols;
    return put(bytes_.data() + at, &head, 1);
  }

  static std::byte* put_formats(std::byte* to, std::span<const Format> packed_block, double unit) {
    for (const Format& f : packed_block) to = put(to, &f.bits, 1);
    for (const Format& f : packed_block) {
      const Multiple multiple = multiple_of(f.step, unit);
      to = put(to, &multiple, 1);
    }
    return to;
  }

  std::byte* put_numbers(std::byte* to, Index first, std::span<const Format> packed_block) const {
    const std::vector<Rounding> rounded(packed_block.begin(), packed_block.end());
    for (std::size_t row = 0; row < reals_; row += slab_reals) {
      const std::size_t end = std::min(row + slab_reals, reals_);
      for (std::size_t c = 0; c < packed_block.size(); ++c) {
        const std::span<const R> numbers = column(first + static_cast<Index>(c));
        for (std::size_t i = row; i < end; i += group)
          to = put_group(to, numbers.subspan(i, std::min<std::size_t>(group, end - i)), packed_block[c].bits,
                         rounded[c]);
      }
    }
    return to;
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
  std::vector<Format> formats;
  for (Index j = 0; j < block.cols; ++j)
    formats.push_back(fewest_bits(writer.column(j), allowed[usize(j)], precision));
  writer.write(formats);
}

template <Scalar T>
Format format_of(numeric::View<const T> block, double allowed, Precision precision) {
  std::vector<T> numbers;
  numbers.reserve(usize(block.rows) * usize(block.cols));
  for (Index j = 0; j < block.cols; ++j)
    numbers.insert(numbers.end(), block.column(j), block.column(j) + block.rows);
  const std::span reals(reinterpret_cast<const RealOf<T>*>(numbers.data()), numbers.size() * parts<T>);
  return fewest_bits(reals, allowed, precision);
}

template <Scalar T>
std::size_t packed_size(Index rows, Index cols, const Format& format) {
  const std::size_t column = bytes_of_column<RealOf<T>>(usize(rows) * parts<T>, format.bits);
  return whole_size(sizeof(PanelHead) + usize(cols) * column, read_behind(format.bits));
}

template <Scalar T>
void pack_block(numeric::View<const T> block, const Format& format, std::vector<std::byte>& bytes) {
  PanelWriter<T>(block, bytes).write(format);
}

template <Scalar T>
ColumnErrors share_error(const LowRank<T>& block, double allowed) {
  ColumnErrors errors;
  const double each = allowed / 2 / std::sqrt(std::max(1.0, double(block.rank)));
  for (Index k = 0; k < block.rank; ++k) {
    const double norm = numeric::norm_two(std::span<const T>(block.u_column(k), usize(block.rows)));
    errors.u.push_back(each);
    errors.v.push_back(norm == 0 ? HUGE_VAL : each / norm);
  }
  return errors;
}

#define INSTANTIATE(T)                                                                      \
  template void pack_columns(numeric::View<const T>, std::span<const double>, Precision,    \
                             std::vector<std::byte>&);                                      \
  template Format format_of(numeric::View<const T>, double, Precision);                     \
  template std::size_t packed_size<T>(Index, Index, const Format&);                         \
  template void pack_block(numeric::View<const T>, const Format&, std::vector<std::byte>&); \
  template ColumnErrors share_error(const LowRank<T>&, double);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::lowrank
