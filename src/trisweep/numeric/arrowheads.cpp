#include "trisweep/numeric/arrowheads.hpp"

#include <complex>

namespace trisweep::numeric {

std::vector<Index> distinct(std::vector<Index> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Arrowheads Arrowheads::from(Index first) const {
  Arrowheads rest{.begin = {begin.begin() + first, begin.end()},
                  .owner = {owner.begin() + first, owner.end()}};
  for (Index& b : rest.begin) b -= begin[usize(first)];
  return rest;
}

ArrowheadSum::ArrowheadSum(const Arrowheads& from, const Arrowheads& to, std::span<const Index> places,
                           Kind kind)
    : from_(from), to_(to), places_(places), with_upper_(has_upper(kind)), run_end_(usize(to.count())) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    arrowhead_.push_back(to.of(places[i]));
    run_end_[usize(arrowhead_.back())] = static_cast<Index>(i) + 1;
  }
}

template <Scalar T>
const T* ArrowheadSum::source(const Panel<T>& panel, const Segment& s) const {
  return s.is_column ? &entry_of(panel, s.begin, s.line) : &entry_of(panel, s.line, s.begin);
}

template <Scalar T>
void ArrowheadSum::add(std::span<const T> values, const Segment& s, Index begin, const Panel<T>& to) const {
  const Index line = places_[usize(s.line)], first = places_[usize(begin)];
  const Index row = s.is_column ? first : line, col = s.is_column ? line : first;
  const bool in_upper = col >= to.end();
  const auto stride = s.is_column != in_upper ? std::size_t{1}
                      : in_upper              ? usize(to.upper.ld)
                      : row >= to.end()       ? usize(to.lower.ld)
                                              : usize(to.diagonal.ld);
  T* const at = &entry_of(to, row, col);
  for (std::size_t i = 0; i < values.size(); ++i)
    at[usize(places_[usize(begin) + i] - first) * stride] += values[i];
}

#define TRISWEEP_INSTANTIATE(T)                                                     \
  template const T* ArrowheadSum::source<T>(const Panel<T>&, const Segment&) const; \
  template void ArrowheadSum::add<T>(std::span<const T>, const Segment&, Index, const Panel<T>&) const;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
