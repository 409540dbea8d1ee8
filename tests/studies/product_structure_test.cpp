#include "studies/himv/product_structure.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "apps/bem/spheres.hpp"
#include "apps/bem/triangle_mesh.hpp"
#include "studies/himv/product_prediction.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::studies {
namespace {

using namespace hmatrix;

std::vector<Point> points() {
  return centroids(bem::sphere_mesh({6, 10}, 1, {0, 0, 0}));
}

struct Made {
  ClusterTree tree = make_cluster_tree(points(), 12);
  std::vector<Block> blocks = make_blocks(tree, {});
  RowBlocks row_blocks = make_row_blocks(tree, 60);
  ProductLayout structure{tree, blocks, row_blocks, 3};
};

Offset numbers_of(const device::GemvTasks& tasks) {
  Offset sum = 0;
  for (const auto* const list : {&tasks.right, &tasks.left})
    for (const device::Gemv& g : *list) sum += Offset{g.rows} * g.cols;
  return sum;
}

TEST(ProductStructure, CoversTheMatrixOnce) {
  const Made made;
  const device::GemvTasks tasks = made.structure.tasks(0, made.row_blocks.count());
  const auto sums = made.structure.numbers();
  EXPECT_NEAR(std::accumulate(sums.begin(), sums.end(), 0.0), double(numbers_of(tasks)), 1e-6);
  // Each entry of the matrix is in one dense panel, or in the rows of one U.
  Offset entries = 0;
  std::vector<Index> width_of_sums(usize(tasks.sums));
  for (const device::Gemv& v : tasks.right) width_of_sums[usize(v.target)] = v.rows;
  for (const device::Gemv& g : tasks.left)
    entries +=
        Offset{g.rows} * (g.kind == device::GemvKind::rows_of_x ? g.cols : width_of_sums[usize(g.source)]);
  EXPECT_EQ(entries, Offset{made.tree.size()} * made.tree.size());
}

TEST(ProductStructure, StripsOfProcessesAreAllStrips) {
  const Made made;
  const auto cut = cut_evenly(made.structure.numbers(), 3);
  ASSERT_EQ(cut.size(), 4u);
  EXPECT_EQ(cut.back(), made.row_blocks.count());
  Offset left = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    const auto tasks = made.structure.tasks(cut[p], cut[p + 1]);
    EXPECT_GT(tasks.rows, 0);
    left += std::ssize(tasks.left);
    for (const device::Gemv& g : tasks.left) EXPECT_LE(g.target + g.rows, tasks.rows);
  }
  EXPECT_EQ(left, std::ssize(made.structure.tasks(0, made.row_blocks.count()).left));
  EXPECT_EQ(cut_evenly({1, 1}, 4).size(), 5u);
}

TEST(ProductPrediction, IsNeverFasterThanTheMemory) {
  const model::Machine machine = model::find_machine("tsubame3");
  for (const bool merged : {true, false}) {
    for (const Index gpus : {1, 4}) {
      const auto prediction = predict_product(
          points(), machine, {.gemv = {.merged = merged}, .processes = {.nodes = 2, .gpus = gpus}});
      EXPECT_GE(prediction.product_seconds, prediction.least_seconds * 0.99);
      EXPECT_GT(prediction.iteration.gather, 0);
      EXPECT_LT(prediction.numbers_max, prediction.numbers);
    }
  }
  EXPECT_THROW(predict_product(points(), machine, {.processes = {.of_node = 4, .gpus = 2}}), Error);
  EXPECT_THROW(predict_product(points(), model::find_machine("generic"), {}), Error);
}

}  // namespace
}  // namespace trisweep::studies
