// Every variant on several PEs that share a GPU, and on PEs with a GPU each, against the factors themselves.
// Without a GPU (tests/fake_cuda) blocks of several threads are seen by the thread sanitizer.

#include <complex>

#include "device/gpu/on_gpu.hpp"
#include "device/variants.hpp"
#include "support/largest.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"
#include "trisweep/lowrank/tiles.hpp"

namespace trisweep::device {
namespace {

using distribution::ProcessGrid;
using testing_support::AllPanels;
using testing_support::gpu;
using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::solve_on_gpu;
using testing_support::Variant;
using testing_support::VirtualPes;

constexpr double tile_eps = 1e-6;

// The panels of a PE piece by piece, as compressed ones lie: each in tiles where that is shorter, which those
// of the small structure below are not.
template <Scalar T>
class TiledPanels {
 public:
  TiledPanels(const distribution::LocalBlocks& local_blocks, const PanelSpans<T>& whole) {
    for (const auto side : distribution::sides) {
      const auto s = static_cast<std::size_t>(side);
      const auto& of = local_blocks.side(side);
      for (Index p = 0; p < of.pieces(); ++p) {
        const Index height = of.height(p);
        const T* const value = whole[s].data() + of.value_ptr[usize(p)];
        const auto entries = of.value_ptr[usize(p) + 1] - of.value_ptr[usize(p)];
        if (entries == 0) {
          piece_[s].push_back({nullptr, false});
          continue;
        }
        const Index width = static_cast<Index>(entries / height);
        const std::array<Index, 2> cut{0, height};
        const auto tiles = lowrank::in_tiles<T>(lowrank::SlabPanel<T>{value, height, width}, cut, tile_eps);
        const auto bytes = tiles.empty() ? std::as_bytes(std::span(value, usize(entries))) : std::span(tiles);
        memory_[s].push_back(zeros<std::byte>(bytes.size(), "a test"));
        std::ranges::copy(bytes, memory_[s].back().data());
        piece_[s].push_back({memory_[s].back().data(), !tiles.empty()});
      }
    }
  }
  PanelsBySide<PieceSpan<T>> view() const {
    return {PieceSpan<T>{piece_[0], memory_[0]}, {piece_[1], memory_[1]}, {piece_[2], memory_[2]}};
  }

 private:
  std::array<std::vector<Piece>, 3> piece_;
  std::array<std::vector<Buffer<std::byte>>, 3> memory_;
};

struct Case {
  Variant variant;
  ProcessGrid grid;
  Op op;
  Index nrhs;
  bool in_tiles;
  bool device_for_each;
};

template <Scalar T>
void expect_solves(const symbolic::Structure& structure, const Case& of) {
  show_life();
  const Programs programs(structure, of.grid, of.variant, of.op, false);
  const MadeUpFactors<T> factors(*programs.distribution.structure, false);
  const AllPanels<T> whole(programs, factors);
  const VirtualPes<T> host(programs, factors, 1, of.nrhs);
  LocalPesOptions<T> options{.device = gpu};
  const auto pes = static_cast<int>(programs.programs.size());
  for (int p = 1; of.device_for_each && p < pes; ++p) options.devices.push_back(p);
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
}

class EveryVariantOfGpusThreads : public testing_support::Gpu {};

// Each variant with the next op, type, storage, and place of PEs: over all variants each comes with each.
TEST_F(EveryVariantOfGpusThreads, SolvesOnOneToFourPes) {
  constexpr std::array ops{Op::none, Op::transpose, Op::conjugate_transpose};
  const auto structure = testing_support::random_structure(56, 2, 16, 2);
  const bool has_several = backend::runtime(gpu).count() >= 4;
  int turn = 0;
  for (const ProcessGrid grid :
       {ProcessGrid{1, 1, 1}, {1, 2, 1}, {3, 1, 1}, {2, 2, 1}, {1, 1, 4}, {2, 1, 2}, {1, 2, 2}}) {
    for (const Variant& variant : testing_support::variants(grid)) {
      ++turn;
      const Case of{.variant = variant,
                    .grid = grid,
                    .op = ops[usize(turn % 3)],
                    .nrhs = turn / 3 % 2 == 0 ? 1 : 3,
                    .in_tiles = turn / 2 % 2 == 0,
                    .device_for_each = has_several && turn % 7 == 0};
      if (turn % 2 == 0) {
        expect_solves<double>(structure, of);
      } else {
        expect_solves<std::complex<double>>(structure, of);
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::device
