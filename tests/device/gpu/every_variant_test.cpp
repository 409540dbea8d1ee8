// Every variant on several PEs that share a GPU, and on PEs with a GPU each, against the factors themselves.
// Without a GPU (tests/fake_cuda) blocks of several threads are seen by the thread sanitizer.

#include <complex>

#include "device/gpu/on_gpu.hpp"
#include "device/tiled_panels.hpp"
#include "device/variants.hpp"
#include "support/largest.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"

namespace trisweep::device {
namespace {

using testing_support::AllPanels;
using testing_support::Combination;
using testing_support::gpu;
using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::solve_on_gpu;
using testing_support::tile_eps;
using testing_support::TiledPanels;
using testing_support::VirtualPes;

struct Tiles {
  int dense = 0, low_rank = 0;
};

// Returns how many tiles the panels have.
template <Scalar T>
Tiles expect_solves(const symbolic::Structure& structure, const Combination& of, bool device_for_each) {
  show_life();
  const distribution::Tiling tiling =
      of.in_tiles ? distribution::Tiling{} : distribution::Tiling{.width = 3, .least = 1};
  const Programs programs(structure, of.grid, of.variant, of.op, false, tiling);
  const MadeUpFactors<T> factors(*programs.distribution.structure, false, of.in_tiles);
  const AllPanels<T> whole(programs, factors);
  const VirtualPes<T> host(programs, factors, 1, of.nrhs);
  LocalPesOptions<T> options{.device = gpu};
  const auto pes = static_cast<int>(programs.programs.size());
  for (int p = 1; device_for_each && p < pes; ++p) options.devices.push_back(p);
  LocalPes<T> on_gpu(programs.programs, of.nrhs, options);
  std::deque<TiledPanels<T>> tiled;
  std::vector<PanelsBySide<PieceSpan<T>>> views;
  for (std::size_t p = 0; of.in_tiles && p < whole.views.size(); ++p)
    views.push_back(tiled.emplace_back(programs.plans[p].local_blocks, whole.views[p]).view());
  if (of.in_tiles) {
    on_gpu.use(std::span<const PanelsBySide<PieceSpan<T>>>(views));
  } else {
    on_gpu.use(std::span<const PanelSpans<T>>(whole.views));
  }
  const auto b = random_vector<T>(usize(structure.n) * usize(of.nrhs), 3);
  std::vector<T> expected;
  for (auto column = b.begin(); column != b.end(); column += structure.n) {
    const auto one = factors.solve(of.op, {column, column + structure.n});
    expected.insert(expected.end(), one.begin(), one.end());
  }
  const auto first = solve_on_gpu(on_gpu, host, programs, b, of.nrhs);
  EXPECT_LT(largest_difference(first, expected) / largest_magnitude(expected),
            of.in_tiles ? 100 * tile_eps : 1e-13)
      << of.variant.name << " op " << char(of.op) << " nrhs " << of.nrhs;
  Tiles tiles;
  for (const TiledPanels<T>& of_pe : tiled) {
    tiles.dense += of_pe.dense();
    tiles.low_rank += of_pe.low_rank();
  }
  return tiles;
}

class EveryVariantOfGpusThreads : public testing_support::Gpu {};

TEST_F(EveryVariantOfGpusThreads, SolvesOnOneToFourPes) {
  // The second one's separators are wide enough for tiles, and take their time.
  const auto structure = testing_support::random_structure(56, 2, 16, 2),
             wide = testing_support::random_structure(110, 2, 16, 2);
  const bool has_several = backend::runtime(gpu).count() >= 4;
  Tiles tiles;
  for (const Combination& of : testing_support::combinations()) {
    const auto& solved = of.in_tiles ? wide : structure;
    const bool device_for_each = has_several && of.turn % 5 == 0;
    const Tiles more = of.is_complex ? expect_solves<std::complex<double>>(solved, of, device_for_each)
                                     : expect_solves<double>(solved, of, device_for_each);
    tiles.dense += more.dense;
    tiles.low_rank += more.low_rank;
  }
  EXPECT_GT(tiles.dense, 0);
  EXPECT_GT(tiles.low_rank, 0);
}

}  // namespace
}  // namespace trisweep::device
