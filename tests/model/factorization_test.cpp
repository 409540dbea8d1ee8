// What can be worked out by hand comes out exactly.

#include "trisweep/model/factorization.hpp"

#include <gtest/gtest.h>

#include "gallery/gallery.hpp"
#include "support/structure.hpp"
#include "trisweep/numeric/estimates.hpp"

namespace trisweep::model {
namespace {

constexpr numeric::Kind kinds[] = {numeric::Kind::lu, numeric::Kind::cholesky, numeric::Kind::ldlt};

std::shared_ptr<const symbolic::Structure> structure_of(const std::string& kind, Index n,
                                                        int whole_levels = 0) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}));
  return testing_support::structure_of(a, {}, {.whole_levels = whole_levels});
}

// On which only products take time.
Machine computing_machine() {
  Machine m = without_communication(find_machine("generic"));
  m.worker_bandwidth = m.memory_bandwidth = std::numeric_limits<double>::infinity();
  return m;
}

TEST(FactorizationPrice, OfADenseFrontOnOneRankIsItsFlopsAtTheRateOfItsWidth) {
  const auto a = testing_support::random_matrix<double>({.n = 60, .per_row = 200, .seed = 1});
  const auto s = testing_support::structure_of(a, {}, {});
  ASSERT_EQ(s->supernodes(), 1);
  const Machine machine = computing_machine();
  const auto price = price_factorization({.structure = *s}, 1, machine);
  const double flops = numeric::estimate(*s, numeric::Kind::lu, sizeof(double)).all_flops();
  EXPECT_NEAR(flops, 2 * 60.0 * 60 * 60, 1);  // LU and the inverse
  EXPECT_NEAR(price.seconds(), flops / machine.dgemm_flops * (60 + 8) / 60 + 0.2e-6, 1e-12);
  EXPECT_EQ(price.largest(&FactoringRank::panel_bytes), 60 * 60 * 8);
  EXPECT_EQ(price.sum(&FactoringRank::messages), 0);
  // Four real products for a complex one, half the time in single precision.
  const auto seconds = [&](std::size_t bytes, bool complex) {
    return price_factorization({.structure = *s, .value_bytes = bytes, .complex = complex}, 1, machine)
               .seconds() -
           0.2e-6;
  };
  EXPECT_NEAR(seconds(16, true), 4 * seconds(8, false), 1e-12);
  EXPECT_NEAR(seconds(4, false), seconds(8, false) / 2, 1e-12);
}

TEST(FactorizationPrice, DividesWhatOneRankDoes) {
  for (const int whole_levels : {0, 3}) {
    const auto s = structure_of("poisson3d", 16, whole_levels);
    for (const numeric::Kind kind : kinds) {
      const auto all = numeric::estimate(*s, kind, sizeof(double));
      for (const Index ranks : {1, 2, 3, 8, 40}) {
        const auto price =
            price_factorization({.structure = *s, .kind = kind}, ranks, find_machine("generic"));
        EXPECT_NEAR(price.sum(&FactoringRank::flops), all.all_flops(), 1e-9 * all.all_flops()) << ranks;
        EXPECT_EQ(price.sum(&FactoringRank::panel_bytes), static_cast<Offset>(all.factor_bytes)) << ranks;
      }
    }
  }
}

TEST(FactorizationPrice, NeedsThePanelsAndTheStackOfOneRank) {
  const auto s = structure_of("s2d9", 48);
  const auto all = numeric::estimate(*s, numeric::Kind::lu, sizeof(double));
  const auto price = price_factorization({.structure = *s}, 1, find_machine("generic"));
  EXPECT_EQ(price.rank[0].peak_bytes, static_cast<Offset>(all.peak_bytes()));
}

TEST(FactorizationPrice, OfMoreRanksLeavesLessToEach) {
  for (const char* name : {"poisson3d", "s2d9"}) {
    const auto s = structure_of(name, name[0] == 'p' ? 24 : 200);
    auto before = price_factorization({.structure = *s}, 1, find_machine("generic"));
    for (Index ranks = 2; ranks <= 16; ranks *= 2) {
      const auto price = price_factorization({.structure = *s}, ranks, find_machine("generic"));
      EXPECT_LT(price.largest(&FactoringRank::panel_bytes), before.largest(&FactoringRank::panel_bytes))
          << ranks;
      EXPECT_LT(price.largest(&FactoringRank::peak_bytes), before.largest(&FactoringRank::peak_bytes))
          << ranks;
      EXPECT_LT(price.largest(&FactoringRank::flops), before.largest(&FactoringRank::flops)) << ranks;
      EXPECT_GT(price.sum(&FactoringRank::messages), before.sum(&FactoringRank::messages)) << ranks;
      before = price;
    }
  }
}

// As long as subtrees are all there is to do, workers share them; a chain of fronts has nothing to share.
TEST(FactorizationPrice, HasWorkersShareSubtrees) {
  Machine machine = computing_machine();
  const auto wide = structure_of("block-diagonal", 64), chain = structure_of("tridiagonal", 4);
  const auto seconds = [&](const symbolic::Structure& s, Index workers) {
    machine.workers = workers;
    return price_factorization({.structure = s}, 1, machine).seconds();
  };
  EXPECT_NEAR(seconds(*wide, 4), seconds(*wide, 1) / 4, 1e-9);
  EXPECT_DOUBLE_EQ(seconds(*chain, 4), seconds(*chain, 1));
}

TEST(RankTimelines, HoldASenderUntilItsMessageIsThereUnlessItIsEager) {
  Machine m{.name = "round", .device = "cpu", .ranks_per_node = 1, .worker_bandwidth = 1e12};
  m.two_sided.between = {5e-6, 1e9, 3e-7, 4e-7};
  for (const bool eager : {true, false}) {
    m.two_sided.eager_bytes = eager ? 1e9 : 0;
    RankTimelines line(2, m);
    line.compute(1, 1e-3);
    line.send(0, 1, 100'000);  // two pieces
    const double copying = m.copying_seconds(100'000);
    EXPECT_DOUBLE_EQ(line[0].seconds, eager ? 6e-7 + copying : 1e-3 + 6e-7 + copying + 1e-4 + 4 * 5e-6);
    const double last_piece = 8e-7 + m.copying_seconds(1 << 16);
    EXPECT_DOUBLE_EQ(line[1].seconds, eager ? 1e-3 + last_piece : line[0].seconds + 5e-6 + last_piece);
    EXPECT_EQ(line[0].messages, 2);
    EXPECT_EQ(line[0].bytes, 100'000);
  }
}

TEST(RankTimelines, BroadcastInLogarithmicallyManySteps) {
  Machine m{.name = "round", .device = "cpu", .ranks_per_node = 8, .worker_bandwidth = 1e12};
  m.two_sided.inside.latency = 1;
  RankTimelines line(8, m);
  const std::vector<Index> ranks{0, 1, 2, 3, 4, 5, 6, 7};
  line.broadcast(ranks, 3, 8);
  double last = 0;
  Offset messages = 0;
  for (const Index r : ranks) {
    last = std::max(last, line[r].seconds);
    messages += line[r].messages;
  }
  EXPECT_NEAR(last, 3, 1e-6);
  EXPECT_EQ(messages, 7);
}

}  // namespace
}  // namespace trisweep::model
