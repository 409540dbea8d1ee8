#include "trisweep/engine/panel_store.hpp"

#include <gtest/gtest.h>

#include "support/structure.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/distribution/grid.hpp"
#include "trisweep/engine/panel_exchange.hpp"

namespace trisweep::engine {
namespace {

using distribution::Side;

// Every number another one: an odd number times 1, 2 and 4 on the three sides.
template <class S>
std::shared_ptr<const numeric::Factors<S>> numbered(std::shared_ptr<const symbolic::Structure> structure,
                                                    numeric::Kind kind) {
  auto factors = std::make_shared<numeric::Factors<S>>();
  factors->structure = structure;
  factors->kind = kind;
  factors->panel_ptr = factors->diagonal_ptr = {0};
  for (Index k = 0; k < structure->supernodes(); ++k) {
    const Offset w = structure->width(k);
    factors->panel_ptr.push_back(factors->panel_ptr.back() + w * structure->height(k));
    factors->diagonal_ptr.push_back(factors->diagonal_ptr.back() + w * w);
  }
  const auto filled = [](Offset size, int side) {
    Buffer<S> values(usize(size), "factors");
    for (Offset i = 0; i < size; ++i) values[usize(i)] = S(float((2 * i + 1) * side));
    return values;
  };
  factors->lower = filled(factors->panel_ptr.back(), 1);
  factors->diagonal = filled(factors->diagonal_ptr.back(), 2);
  if (kind == numeric::Kind::lu) factors->upper = filled(factors->panel_ptr.back(), 4);
  return factors;
}

// This rank's pieces of a side, entry by entry.
template <class S, Scalar T>
void expect_pieces(const PanelStore<T>& store, Side side, const distribution::LocalBlocks& local_blocks,
                   const numeric::Factors<S>& factors) {
  const symbolic::Structure& s = *factors.structure;
  const auto& part = local_blocks.side(side);
  const S* numbers = nullptr;
  store.visit([&](const auto& by_side) {
    using Sides = std::remove_cvref_t<decltype(by_side)>;
    if constexpr (std::same_as<Sides, device::PanelSpans<S>>)
      numbers = by_side[static_cast<std::size_t>(side)].data();
  });
  ASSERT_TRUE(numbers != nullptr || part.pieces() == 0);
  for (Index p = 0; p < part.pieces(); ++p) {
    const Index k = part.supernode[usize(p)], width = s.width(k);
    const S* const whole = side == Side::lower   ? factors.lower_panel(k)
                           : side == Side::upper ? factors.upper_panel(k)
                                                 : factors.diagonal_block(k);
    const Index height = side == Side::diagonal ? width : s.height(k);
    const S* const piece = numbers + part.value_ptr[usize(p)];
    Index row = 0;
    for (const auto& block : part.blocks(p)) {
      for (Index i = block.begin; i < block.end; ++i, ++row) {
        for (Index j = 0; j < width; ++j) {
          ASSERT_EQ(piece[slab_entry(part.height(p), width, row, j)], whole[slab_entry(height, width, i, j)])
              << "supernode " << k << ", row " << i << ", column " << j;
        }
      }
    }
  }
}

template <class P>
class PanelStoreTest : public testing::Test {};
using Pairs = testing::Types<std::pair<double, double>, std::pair<Single<double>, double>,
                             std::pair<Single<std::complex<double>>, std::complex<double>>>;
TYPED_TEST_SUITE(PanelStoreTest, Pairs);

TYPED_TEST(PanelStoreTest, HasThePiecesOfItsRankInTheStorageOfTheFactors) {
  using S = typename TypeParam::first_type;
  using T = typename TypeParam::second_type;
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto structure =
      std::make_shared<const symbolic::Structure>(testing_support::random_structure(150, 3, 2));
  for (const distribution::ProcessGrid& grid :
       {distribution::square_grid(comm.size()), distribution::ProcessGrid{comm.size(), 1, 1}}) {
    const distribution::Distribution d(structure, distribution::find_mapping("block-cyclic"), grid);
    const auto local_blocks = distribution::make_local_blocks(*d.structure, *d.mapping, comm.rank());
    for (const auto kind : {numeric::Kind::lu, numeric::Kind::cholesky}) {
      const auto factors = numbered<S>(d.structure, kind);
      // Of one rank, and of ranks in turn.
      std::vector<Index> maker(usize(d.structure->supernodes()), 0);
      if (kind == numeric::Kind::lu)
        for (Index k = 0; k < std::ssize(maker); ++k) maker[usize(k)] = k % comm.size();
      const auto store = PanelStore<T>(collected<S>(comm, d, local_blocks, factors, maker));
      std::size_t bytes = 0;
      for (const Side side : distribution::sides) {
        if (side == Side::upper && kind == numeric::Kind::cholesky) continue;
        expect_pieces(store, side, local_blocks, *factors);
        bytes += usize(local_blocks.side(side).value_ptr.back()) * sizeof(S);
      }
      EXPECT_EQ(store.bytes(), bytes);
    }
  }
}

}  // namespace
}  // namespace trisweep::engine
