// What can be worked out by hand comes out exactly.

#include "trisweep/model/answer.hpp"

#include <gtest/gtest.h>

#include "gallery/gallery.hpp"

namespace trisweep::model {
namespace {

matrix::Pattern pattern_of(const std::string& kind, Index n) {
  return std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n})).pattern;
}

Machine round_machine() {
  Machine m{.name = "round",
            .device = "cpu",
            .ranks_per_node = 4,
            .ranks_per_memory = 2,
            .workers = 2,
            .worker_bandwidth = 1e9,
            .memory_bandwidth = 3e9,
            .worker_flops = 1e15};
  m.two_sided.inside = {1e-6, 1e10, 1e-7, 2e-7};
  m.two_sided.between = {5e-6, 1e9, 3e-7, 4e-7};
  return m;
}

TEST(ProductShare, IsThatOfTheRankWithMost) {
  EXPECT_EQ(product_share(pattern_of("tridiagonal", 100), 4),
            (ProductShare{.ranks = 4, .rows = 25, .nonzeros = 75, .neighbours = 2, .ghosts = 2}));
  // Half a grid line each: nine points above and below, of two ranks each, and one of the other half.
  EXPECT_EQ(product_share(pattern_of("s2d9", 16), 32),
            (ProductShare{.ranks = 32, .rows = 8, .nonzeros = 8 * 9 - 3, .neighbours = 5, .ghosts = 19}));
  EXPECT_EQ(product_share(pattern_of("arrow", 10), 1),
            (ProductShare{.ranks = 1, .rows = 10, .nonzeros = 28}));
}

TEST(ProductShare, IsKeptForAnyNumberOfRanks) {
  const auto a = pattern_of("s2d9", 16);
  const auto shares = product_shares(a);
  EXPECT_EQ(share_for(shares, 1), product_share(a, 1));
  EXPECT_EQ(share_for(shares, 32), product_share(a, 32));
  const ProductShare between = share_for(shares, 24);
  EXPECT_EQ(between.ranks, 24);
  EXPECT_EQ(between.rows, 8 * 32 / 24);
  EXPECT_EQ(between.ghosts, 19);
  EXPECT_EQ(share_for(shares, 1 << 20).ranks, 1 << 20);
}

TEST(AnswerPrice, AddsUpItsParts) {
  const Machine machine = round_machine();
  const ProductShare product{.ranks = 8, .rows = 1000, .nonzeros = 5000, .neighbours = 3, .ghosts = 50};
  const AnswerPrice first = answer_price(1e-3, 0, product, machine, {});
  EXPECT_EQ(first.reductions, 3);
  EXPECT_DOUBLE_EQ(first.sweeps, 1e-3);
  // A memory's 3e9 are shared by two ranks.
  EXPECT_DOUBLE_EQ(first.products, (5000 * 12 + 1000 * 8 + (3 * 1000 + 50) * 8) / 1.5e9);
  EXPECT_DOUBLE_EQ(first.halos, 5e-6 + 3 * 7e-7 + 400 / 1e9 + 2 * machine.copying_seconds(400));
  const double reduction = 2 * (1.3e-6 + 8 / 1e10) + 5.7e-6 + 8 / 1e9;  // four ranks of a node, two nodes
  EXPECT_DOUBLE_EQ(first.reduction_seconds, 3 * reduction);
  EXPECT_EQ(first.updates, 0);
  EXPECT_DOUBLE_EQ(first.seconds(),
                   first.sweeps + first.products + first.halos + first.reduction_seconds + first.updates);
}

TEST(AnswerPrice, OfACorrectionIsASweepAndAMeasurementMore) {
  const Machine machine = round_machine();
  const ProductShare product{.ranks = 8, .rows = 1000, .nonzeros = 5000, .neighbours = 3, .ghosts = 50};
  const AnswerPrice first = answer_price(1e-3, 0, product, machine, {}),
                    second = answer_price(1e-3, 1, product, machine, {});
  EXPECT_EQ(second.reductions, 5);
  EXPECT_DOUBLE_EQ(second.sweeps, 2 * first.sweeps);
  EXPECT_DOUBLE_EQ(second.products, 2 * first.products);
  EXPECT_DOUBLE_EQ(second.halos, 2 * first.halos);
  EXPECT_DOUBLE_EQ(second.updates, 3 * 1000 * 8 / 1.5e9);
}

TEST(AnswerPrice, ReadsTheMatrixOnceForEightColumns) {
  const Machine machine = round_machine();
  const ProductShare product{.ranks = 1, .rows = 1000, .nonzeros = 100000};
  const auto matrix_seconds = [&](Index nrhs) {
    return answer_price(0, 0, product, machine, {.nrhs = nrhs}).products - 3 * 1000 * 8.0 * nrhs / 2e9;
  };
  EXPECT_DOUBLE_EQ(matrix_seconds(8), matrix_seconds(1));
  EXPECT_DOUBLE_EQ(matrix_seconds(9), 2 * matrix_seconds(1));
}

TEST(AnswerPrice, OfOneRankHasNoMessages) {
  const AnswerPrice alone =
      answer_price(1e-3, 1, product_share(pattern_of("s2d9", 8), 1), find_machine("generic"), {});
  EXPECT_EQ(alone.halos, 0);
  EXPECT_EQ(alone.reduction_seconds, 0);
}

}  // namespace
}  // namespace trisweep::model
