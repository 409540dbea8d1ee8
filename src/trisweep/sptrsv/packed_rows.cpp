#include "trisweep/sptrsv/packed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::sptrsv {
namespace {

constexpr const char* what = "a triangular matrix in the order of its solution";

Offset entries_of(const matrix::Pattern& below, std::span<const Index> rows) {
  Offset entries = 0;
  for (const Index i : rows) entries += std::ssize(below.row(i));
  return entries;
}

}  // namespace

template <Scalar T>
bool has_inverses(const LowerSystem<T>& system) {
  constexpr auto least = std::numeric_limits<RealOf<T>>::min();
  return std::ranges::all_of(system.diagonal, [](const T& value) {
    const auto size = std::max(std::abs(std::real(value)), std::abs(std::imag(value)));
    return size >= least && size <= RealOf<T>(0.5) / least;
  });
}

template <Scalar T>
PackedRows<T>::PackedRows(const LowerSystem<T>& system, const ThreadSchedule& schedule, bool inverted)
    : row_(schedule.row.size(), what),
      col_(usize(entries_of(system.below, schedule.row)), what),
      value_(col_.size(), what),
      diagonal_(system.diagonal.empty() ? 0 : row_.size(), what),
      inverted_(inverted) {
  std::size_t next = 0, entry = 0;
  for (const Block& block : schedule.block) {
    first_.push_back(static_cast<Offset>(entry));
    for (; next < usize(block.row_end); ++next) {
      const Index i = schedule.row[next];
      row_[next] = {system.number(i), static_cast<Index>(system.below.row(i).size())};
      for (Offset e = system.below.row_ptr[usize(i)]; e < system.below.row_ptr[usize(i) + 1]; ++e, ++entry) {
        col_[entry] = system.number(system.below.col[usize(e)]);
        value_[entry] = system.value[usize(e)];
      }
      if (diagonal_.size() == 0) continue;
      const T& diagonal = system.diagonal[usize(i)];
      diagonal_[next] = inverted_ ? T(1) / diagonal : diagonal;
    }
  }
}

#define INSTANTIATE(T)                                  \
  template bool has_inverses<T>(const LowerSystem<T>&); \
  template class PackedRows<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
