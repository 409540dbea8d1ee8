#pragma once
// What is solved of a combination (device/variants.hpp) on GPUs, and what must come out.

#include <deque>

#include "device/gpu/on_gpu.hpp"
#include "device/tiled_panels.hpp"
#include "device/variants.hpp"
#include "support/largest.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"

namespace trisweep::testing_support {

// The separators of compressed ones are dense enough that on every grid a PE's part of one has tiles of low
// rank, which takes its time.
inline const symbolic::Structure& structure_of(const Combination& of) {
  static const symbolic::Structure small = random_structure(56, 2, 16, 2),
                                   wide = random_structure(150, 2, 16, 2, 8);
  return of.in_tiles ? wide : small;
}

template <Scalar T>
struct CombinationCase {
  Combination of;
  Programs programs;
  MadeUpFactors<T> factors;
  AllPanels<T> whole;
  std::deque<TiledPanels<T>> tiled;
  VirtualPes<T> host;
  std::vector<T> b;

  explicit CombinationCase(const Combination& combination)
      : of(combination),
        programs(structure_of(of), of.grid, of.variant, of.op, false,
                 of.in_tiles ? distribution::Tiling{} : distribution::Tiling{.width = 3, .least = 1}),
        factors(*programs.distribution.structure, false, of.in_tiles),
        whole(programs, factors),
        host(programs, factors, 1, of.nrhs),
        b(random_vector<T>(usize(structure_of(of).n) * usize(of.nrhs), 3)) {
    show_life();
    if (!of.in_tiles) return;
    int low_rank = 0;
    for (std::size_t p = 0; p < programs.plans.size(); ++p)
      low_rank += tiled.emplace_back(programs.plans[p].local_blocks, whole.views[p]).low_rank();
    EXPECT_GT(low_rank, 0) << name();
  }

  std::string name() const { return fmt::format("{} op {} nrhs {}", of.variant.name, char(of.op), of.nrhs); }

  // Gives `pes` the panels of so many PEs, from `first` on.
  void use_panels(device::LocalPes<T>& pes, std::size_t first, std::size_t count) const {
    if (!of.in_tiles) return pes.use(std::span(whole.views).subspan(first, count));
    std::vector<device::PanelsBySide<device::PieceSpan<T>>> views;
    for (std::size_t p = first; p < first + count; ++p) views.push_back(tiled[p].view());
    pes.use(std::span<const device::PanelsBySide<device::PieceSpan<T>>>(views));
  }
  void expect_solution(const std::vector<T>& x) const {
    std::vector<T> expected;
    for (auto column = b.begin(); column != b.end(); column += structure_of(of).n) {
      const auto one = factors.solve(of.op, {column, column + structure_of(of).n});
      expected.insert(expected.end(), one.begin(), one.end());
    }
    EXPECT_LT(largest_difference(x, expected) / largest_magnitude(expected),
              of.in_tiles ? 100 * tile_eps : 1e-13)
        << name();
  }
};

// On one GPU, or one for each PE.
template <Scalar T>
void expect_solves_on_gpu(const Combination& of, bool device_for_each) {
  const CombinationCase<T> solved(of);
  const std::size_t pes = solved.programs.programs.size();
  device::LocalPesOptions<T> options{.device = gpu};
  for (std::size_t p = 1; device_for_each && p < pes; ++p) options.devices.push_back(static_cast<int>(p));
  device::LocalPes<T> on_gpu(solved.programs.programs, of.nrhs, options);
  solved.use_panels(on_gpu, 0, pes);
  solved.expect_solution(solve_on_gpu(on_gpu, solved.host, solved.programs, solved.b, of.nrhs));
}

}  // namespace trisweep::testing_support
