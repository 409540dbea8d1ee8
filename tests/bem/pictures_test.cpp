#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "apps/bem/block_map.hpp"
#include "apps/bem/conductors.hpp"
#include "apps/bem/surface_file.hpp"

namespace trisweep::bem {
namespace {

// The array that the text says is at an offset of the data behind it.
template <class Number>
std::vector<Number> array_named(const std::string& file, const std::string& name) {
  const auto field = file.find("Name=\"" + name + "\"");
  const auto offset = std::stoul(file.substr(file.find("offset=\"", field) + 8));
  const std::string mark = "encoding=\"raw\">\n_";
  const char* const at = file.data() + file.find(mark) + mark.size() + offset;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  std::vector<Number> values(bytes / sizeof(Number));
  std::memcpy(values.data(), at + sizeof bytes, bytes);
  return values;
}

TEST(SurfaceFile, HasAllNodesTrianglesAndFields) {
  const auto body = make_object("sphere", {.triangles = 60});
  std::vector<double> density;
  for (Index t = 0; t < body.mesh.size(); ++t) density.push_back(0.5 * t);
  const std::string file =
      to_vtu(body.mesh, std::vector<TriangleField>{{"density", density}, {"potential", body.potential}});
  EXPECT_NE(file.find("NumberOfCells=\"" + std::to_string(body.mesh.size()) + "\""), std::string::npos);
  EXPECT_EQ(array_named<double>(file, "density"), density);
  EXPECT_EQ(array_named<double>(file, "potential"), body.potential);
  const auto points = array_named<double>(file, "points");
  const auto corners = array_named<Index>(file, "connectivity");
  ASSERT_EQ(points.size(), 3 * body.mesh.node.size());
  ASSERT_EQ(corners.size(), 3 * body.mesh.triangle.size());
  EXPECT_EQ(points[4], body.mesh.node[1][1]);
  EXPECT_EQ(corners[5], body.mesh.triangle[1][2]);
  EXPECT_EQ(array_named<Index>(file, "offsets").back(), 3 * body.mesh.size());
  EXPECT_EQ(array_named<std::uint8_t>(file, "types"), std::vector<std::uint8_t>(density.size(), 5));
}

TEST(BlockMap, HasEveryBlockWhereItIs) {
  const std::vector<MappedBlock> blocks{{0, 10, 10, 20, 3}, {10, 20, 10, 20, hmatrix::StoredBlock::dense}};
  const std::string picture = block_map(blocks, 20);
  // In thousandths.
  EXPECT_NE(picture.find("<rect x=\"500\" y=\"0\" width=\"500\" height=\"500\" "), std::string::npos);
  EXPECT_NE(picture.find("<rect x=\"500\" y=\"500\" width=\"500\" height=\"500\" "), std::string::npos);
  EXPECT_NE(picture.find("rank 3"), std::string::npos);
}

}  // namespace
}  // namespace trisweep::bem
