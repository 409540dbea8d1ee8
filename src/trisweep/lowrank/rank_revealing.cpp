#include "trisweep/lowrank/rank_revealing.hpp"

#include <cmath>
#include <numeric>

#include "trisweep/lowrank/gram_schmidt.hpp"

namespace trisweep::lowrank {
namespace {

// Steps after which the number of steps is extrapolated.
constexpr Index first_steps = 6;

// Whether the rest, which fell from `before` to `after` in `steps` steps, will still exceed the allowed error
// when the rank reaches its limit. The decay slows down, so this errs only towards false.
bool hopeless(double before, double after, Index steps, const RankLimits& limits) {
  if (steps < first_steps) return false;
  const double fallen = std::log(before / after), wanted = std::log(before / limits.allowed);
  return wanted * double(steps) > double(limits.rank) * fallen;
}

template <Scalar T>
double squared_norm(const T* numbers, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += squared_modulus(numbers[i]);
  return sum;
}

}  // namespace

template <Scalar T>
std::optional<LowRank<T>> rank_revealing(numeric::View<T> block, Index rows, const RankLimits& limits) {
  LowRank<T> result{.rows = rows, .cols = block.cols, .rank = 0, .u = {}, .v = {}};
  std::vector<double> squared(usize(block.cols));
  for (Index j = 0; j < block.cols; ++j) squared[usize(j)] = squared_norm(block.column(j), rows);
  const auto rest = [&] { return std::sqrt(std::reduce(squared.begin(), squared.end())); };
  const double before = rest();
  std::vector<T> q(usize(block.rows)), product(usize(block.cols));
  for (double left = before; !(left <= limits.allowed); left = rest()) {
    if (result.rank >= limits.rank || hopeless(before, left, result.rank, limits)) return std::nullopt;
    const auto pivot = static_cast<Index>(std::ranges::max_element(squared) - squared.begin());
    const double length = std::sqrt(squared_norm(block.column(pivot), rows));
    if (!(length > 0) || !std::isfinite(length)) return std::nullopt;
    std::transform(block.column(pivot), block.column(pivot) + block.rows, q.begin(),
                   [&](const T& value) { return value * RealOf<T>(1 / length); });
    gram_schmidt<T>()({.block = block, .q = q.data(), .product = product.data(), .squared = squared.data()});
    result.u.insert(result.u.end(), q.begin(), q.begin() + rows);
    result.v.insert(result.v.end(), product.begin(), product.end());
    ++result.rank;
  }
  return result;
}

#define INSTANTIATE(T) \
  template std::optional<LowRank<T>> rank_revealing(numeric::View<T>, Index, const RankLimits&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::lowrank
