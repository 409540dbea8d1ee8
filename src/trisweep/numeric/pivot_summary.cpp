#include "trisweep/numeric/pivot_summary.hpp"

#include <cmath>
#include <limits>

namespace trisweep::numeric {
namespace {

template <Scalar T>
void multiply(PivotSummary& summary, T factor) {
  const std::complex<double> value(factor);
  const double modulus = is_complex<T> ? std::abs(value) : std::abs(value.real());
  summary.log_modulus += std::log(modulus);
  if (value != modulus) summary.phase *= value / modulus;
}

}  // namespace

template <Scalar T>
void PivotSummary::add(T pivot, Kind kind) {
  multiply(*this, pivot);
  if (!(has_signs = pivots_have_signs<T>(kind))) return;
  ++(std::real(pivot) > 0 ? positive : negative);
}

template <Scalar T>
void PivotSummary::add_pair(T determinant, T trace, Kind kind) {
  multiply(*this, determinant);
  if (!(has_signs = pivots_have_signs<T>(kind))) return;
  if (std::real(determinant) < 0) {
    ++positive;
    ++negative;
  } else {
    (std::real(trace) > 0 ? positive : negative) += 2;
  }
}

void PivotSummary::add_zero() {
  ++zero;
  log_modulus = -std::numeric_limits<double>::infinity();
  phase = 0;
}

PivotSummary& PivotSummary::operator+=(const PivotSummary& other) {
  positive += other.positive;
  negative += other.negative;
  zero += other.zero;
  has_signs = has_signs && other.has_signs;
  log_modulus += other.log_modulus;
  if (other.phase != 1.0) phase *= other.phase;
  return *this;
}

#define TRISWEEP_INSTANTIATE(T)                \
  template void PivotSummary::add<T>(T, Kind); \
  template void PivotSummary::add_pair<T>(T, T, Kind);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
