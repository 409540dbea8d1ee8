#pragma once
// The largest of many errors, as every test has it: an error that is not a number, or of vectors that differ
// in length, is infinite, so that no limit passes it, whatever comes before or after it and on whatever rank.
// (std::max, MPI_MAX and `a > b ? a : b` lose a NaN; each of them has hidden one in a test.)

#include <cmath>
#include <complex>
#include <iterator>
#include <limits>

namespace trisweep::testing_support {

class Largest {
 public:
  void add(double error) {
    if (!(error <= value_)) value_ = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

// Of numbers, real or complex.
template <class Range>
double largest_magnitude(const Range& values) {
  Largest largest;
  for (const auto& v : values) largest.add(double(std::abs(v)));
  return largest.value();
}

// Entry by entry.
template <class Range, class Expected>
double largest_difference(const Range& values, const Expected& expected) {
  if (std::size(values) != std::size(expected)) return std::numeric_limits<double>::infinity();
  Largest largest;
  auto e = std::begin(expected);
  for (const auto& v : values) largest.add(double(std::abs(v - *e++)));
  return largest.value();
}

}  // namespace trisweep::testing_support
