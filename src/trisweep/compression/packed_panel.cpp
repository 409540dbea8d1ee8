#include "trisweep/compression/packed_panel.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "trisweep/core/slabs.hpp"

namespace trisweep::compression {
namespace {

constexpr auto table_of_precisions =
    std::to_array<NamedPrecision>({{"adaptive", Precision::adaptive}, {"double", Precision::full}});

// A format and the step between its numbers (1 for numbers as they are).
struct Choice {
  NumberFormat format = NumberFormat::whole;
  double step = 1;
};

template <Scalar T>
double largest_part(const T* numbers, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest =
        std::max({largest, std::abs(double(std::real(numbers[i]))), std::abs(double(std::imag(numbers[i])))});
  return largest;
}

// The shortest format in which `count` real numbers up to `largest` are off by at most `allowed` in the
// Euclidean norm. A step is rounded up to a float later on, which `slack` is for.
template <class R>
Choice choose_format(double largest, std::size_t count, double allowed, Precision precision) {
  constexpr double slack = 1 + 0x1p-20;
  if (precision == Precision::full || !(largest == 0 || largest > DBL_MIN * 0x1p60)) return {};
  for (const auto format : {NumberFormat::fixed8, NumberFormat::fixed16, NumberFormat::fixed24,
                            NumberFormat::fixed32, NumberFormat::fixed48}) {
    if (bytes_of<R>(format) >= sizeof(R)) break;
    const double step = largest / largest_integer(format) * slack;
    if (0.5 * step * std::sqrt(double(count)) <= allowed) return {format, step};
  }
  return {};
}

template <class Out, class Make>
void write_each(std::byte* to, std::size_t count, const Make& make) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Out>(make(i));
    std::memcpy(to + i * sizeof(Out), &value, sizeof value);
  }
}

// Integers in one or two planes, from their place in the run on.
void write_integers(NumberFormat format, const std::vector<std::int64_t>& q, std::byte* to, std::byte* low) {
  switch (format) {
    case NumberFormat::fixed8:
      return write_each<std::int8_t>(to, q.size(), [&](std::size_t i) { return q[i]; });
    case NumberFormat::fixed16:
      return write_each<std::int16_t>(to, q.size(), [&](std::size_t i) { return q[i]; });
    case NumberFormat::fixed24:
      write_each<std::int16_t>(to, q.size(), [&](std::size_t i) { return q[i] >> 8; });
      return write_each<std::uint8_t>(low, q.size(), [&](std::size_t i) { return q[i] & 0xff; });
    case NumberFormat::fixed32:
      return write_each<std::int32_t>(to, q.size(), [&](std::size_t i) { return q[i]; });
    case NumberFormat::fixed48:
      write_each<std::int32_t>(to, q.size(), [&](std::size_t i) { return q[i] >> 16; });
      return write_each<std::uint16_t>(low, q.size(), [&](std::size_t i) { return q[i] & 0xffff; });
    case NumberFormat::whole:
      break;
  }
}

template <class V>
void append(std::vector<std::byte>& bytes, const V& value) {
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

// Columns [first, last) of the block, which have one format: of them all, or each its own step.
template <Scalar T>
class RunWriter {
  using R = RealOf<T>;
  static constexpr std::size_t parts = is_complex<T> ? 2 : 1;

 public:
  RunWriter(numeric::View<const T> block, double unit, std::vector<std::byte>& bytes)
      : block_(block), unit_(unit), bytes_(bytes) {}

  void write(Index first, std::span<const Choice> column, bool common_step) {
    const std::size_t start = bytes_.size();
    const NumberFormat format = column.front().format;
    common_step = common_step || format == NumberFormat::whole;
    const RunHead head{static_cast<Index>(column.size()), format, common_step, 0};
    append(bytes_, head);
    std::vector<double> step;
    for (const Choice& choice : column) step.push_back(common_step ? unit_ : written_step(choice.step));
    const std::size_t reals = usize(block_.rows) * parts;
    const RunLayout layout = layout_of<R>(head, reals * column.size());
    bytes_.resize(start + layout.end);
    std::byte* const numbers = bytes_.data() + start + layout.numbers;
    if (format == NumberFormat::whole) return write_whole(first, head.cols, numbers);
    std::vector<std::int64_t> q;
    for (Index c = 0; c < head.cols; ++c) quantize(block_.column(first + c), format, step[usize(c)], q);
    write_integers(format, q, numbers, bytes_.data() + start + layout.low);
  }

 private:
  // A float times the unit, not less than was asked for.
  double written_step(double step) {
    const auto multiple = std::nextafter(float(step / unit_), HUGE_VALF);
    append(bytes_, multiple);
    return unit_ * double(multiple);
  }

  void write_whole(Index first, Index cols, std::byte* to) const {
    for (Index c = 0; c < cols; ++c)
      std::memcpy(to + usize(c) * usize(block_.rows) * sizeof(T), block_.column(first + c),
                  usize(block_.rows) * sizeof(T));
  }

  void quantize(const T* column, NumberFormat format, double step, std::vector<std::int64_t>& q) const {
    const double limit = largest_integer(format);
    const auto add = [&](double part) {
      const double integer = step == 0 ? 0 : std::nearbyint(part / step);
      q.push_back(static_cast<std::int64_t>(std::clamp(integer, -limit, limit)));
    };
    for (Index i = 0; i < block_.rows; ++i) {
      add(double(std::real(column[i])));
      if constexpr (is_complex<T>) add(double(std::imag(column[i])));
    }
  }

  const numeric::View<const T> block_;
  const double unit_;
  std::vector<std::byte>& bytes_;
};

template <class Number>
Number number_at(const std::byte* numbers, std::size_t i) {
  Number number;
  std::memcpy(&number, numbers + i * sizeof number, sizeof number);
  return number;
}

// Calls visit(number), number(i) being number i of a run as a double, without its step.
template <class R, class Visit>
void visit_numbers(NumberFormat format, const std::byte* at, const std::byte* low, const Visit& visit) {
  switch (format) {
    case NumberFormat::fixed8:
      return visit([=](std::size_t i) { return double(number_at<std::int8_t>(at, i)); });
    case NumberFormat::fixed16:
      return visit([=](std::size_t i) { return double(number_at<std::int16_t>(at, i)); });
    case NumberFormat::fixed24:
      return visit([=](std::size_t i) {
        return double(number_at<std::int16_t>(at, i) * 256 + number_at<std::uint8_t>(low, i));
      });
    case NumberFormat::fixed32:
      return visit([=](std::size_t i) { return double(number_at<std::int32_t>(at, i)); });
    case NumberFormat::fixed48:
      return visit([=](std::size_t i) {
        return double(number_at<std::int32_t>(at, i)) * 65536 + double(number_at<std::uint16_t>(low, i));
      });
    case NumberFormat::whole:
      return visit([=](std::size_t i) { return double(number_at<R>(at, i)); });
  }
}

}  // namespace

std::span<const NamedPrecision> precisions() {
  return table_of_precisions;
}

template <Scalar T>
void unpack(const std::byte* panel, T* slabs) {
  using R = RealOf<T>;
  constexpr Index parts = is_complex<T> ? 2 : 1;
  const auto head = number_at<PanelHead>(panel, 0);
  const std::byte* at = panel + sizeof head;
  for (Index column = 0; column < head.cols;) {
    const auto run = number_at<RunHead>(at, 0);
    const RunLayout layout = layout_of<R>(run, usize(head.rows) * usize(run.cols) * parts);
    visit_numbers<R>(run.format, at + layout.numbers, at + layout.low, [&](const auto& number) {
      for (Index c = 0; c < run.cols; ++c) {
        const double step = run.format == NumberFormat::whole ? 1
                            : run.common_step
                                ? head.unit
                                : head.unit * double(number_at<float>(at + sizeof run, usize(c)));
        for (Index row = 0; row < head.rows; row += slab_rows) {
          const Index rows = std::min(slab_rows, head.rows - row);
          auto* const to = reinterpret_cast<R*>(slabs + slab_entry(head.rows, head.cols, row, column + c));
          const std::size_t first = (usize(c) * usize(head.rows) + usize(row)) * parts;
          for (Index i = 0; i < rows * parts; ++i) to[i] = R(step * number(first + usize(i)));
        }
      }
    });
    column += run.cols;
    at += layout.end;
  }
}

template <Scalar T>
void pack_columns(numeric::View<const T> block, std::span<const double> allowed, Precision precision,
                  std::vector<std::byte>& bytes) {
  constexpr std::size_t parts = is_complex<T> ? 2 : 1;
  std::vector<Choice> choice;
  double unit = 0;
  for (Index j = 0; j < block.cols; ++j) {
    choice.push_back(choose_format<RealOf<T>>(largest_part(block.column(j), usize(block.rows)),
                                              usize(block.rows) * parts, allowed[usize(j)], precision));
    if (choice.back().format != NumberFormat::whole) unit = std::max(unit, choice.back().step);
  }
  if (unit == 0) unit = 1;
  append(bytes, PanelHead{unit, block.rows, block.cols});
  RunWriter<T> writer(block, unit, bytes);
  for (auto first = choice.begin(); first != choice.end();) {
    const auto last =
        std::find_if(first, choice.end(), [&](const Choice& c) { return c.format != first->format; });
    writer.write(static_cast<Index>(first - choice.begin()), {first, last}, false);
    first = last;
  }
}

template <Scalar T>
void pack_block(numeric::View<const T> block, double allowed, Precision precision,
                std::vector<std::byte>& bytes) {
  constexpr std::size_t parts = is_complex<T> ? 2 : 1;
  double largest = 0;
  for (Index j = 0; j < block.cols; ++j)
    largest = std::max(largest, largest_part(block.column(j), usize(block.rows)));
  const Choice choice =
      choose_format<RealOf<T>>(largest, usize(block.rows) * usize(block.cols) * parts, allowed, precision);
  append(bytes, PanelHead{choice.step, block.rows, block.cols});
  if (block.empty()) return;
  const std::vector<Choice> columns(usize(block.cols), choice);
  RunWriter<T>(block, choice.step, bytes).write(0, columns, true);
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
  template void unpack(const std::byte*, T*);                                                   \
  template ColumnErrors share_error(const LowRank<T>&, double);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression
