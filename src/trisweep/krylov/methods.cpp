#include "trisweep/krylov/methods.hpp"

#include <array>

namespace trisweep::krylov {
namespace {

constexpr auto table_of_overlaps = std::to_array<NamedOverlap>(
    {{"block", Overlap::none}, {"pipe1", Overlap::sums}, {"pipe2", Overlap::gathers}});

}  // namespace

std::span<const NamedOverlap> overlaps() {
  return table_of_overlaps;
}

template <Scalar T>
std::span<const NamedMethod<T>> methods() {
  static constexpr auto table =
      std::to_array<NamedMethod<T>>({{"bicgstab", bicgstab<T>, true},
                                     {"pipelined-bicgstab", pipelined_bicgstab<T>, false},
                                     {"gmres", restarted_gmres<T>, true}});
  return table;
}

#define INSTANTIATE(T) template std::span<const NamedMethod<T>> methods();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
