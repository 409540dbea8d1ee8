#include "apps/bem/mesh_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <numeric>

#include "apps/bem/spheres.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::bem {
namespace {

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trisweep-meshes-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  // What reading such a file is refused with.
  std::string refusal(const std::string& name, const std::string& text) const {
    try {
      read_mesh(write(name, text));
    } catch (const InputError& e) {
      return e.what();
    }
    return "read";
  }

  std::filesystem::path folder_;
};

const std::string head_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string nodes_2 = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n30 0 1 0\n4 0 0 1\n$EndNodes\n";
const std::string elements_2 = "$Elements\n3\n1 15 2 0 1 1\n2 2 2 0 1 1 2 30\n3 2 0 30 2 4\n$EndElements\n";
const std::string head_4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n";
const std::string nodes_4 =
    "$Nodes\n2 4 1 30\n0 1 0 1\n1\n0 0 0\n2 1 1 3\n2\n30\n4\n1 0 0 0.5 0.5\n0 1 0 0 0\n0 0 1 1 "
    "1\n$EndNodes\n";
const std::string elements_4 =
    "$Elements\n2 3 1 3\n0 1 15 1\n1 1\n2 1 2 2\n2 1 2 30\n3 30 2 4\n$EndElements\n";

void expect_two_triangles(const TriangleMesh& mesh) {
  ASSERT_EQ(mesh.size(), 2);
  EXPECT_EQ(mesh.node.size(), 4u);
  EXPECT_EQ(centroid(mesh.corners(0)), (Point{1.0 / 3, 1.0 / 3, 0}));
  EXPECT_NEAR(area(mesh.corners(1)), std::sqrt(0.75), 1e-15);
}

TEST_F(MeshFile, BothVersionsOfGmsh) {
  expect_two_triangles(read_mesh(
      write("a.msh", head_2 + "$Comments\nanything $at all\n$EndComments\n" + nodes_2 + elements_2)));
  expect_two_triangles(read_mesh(write("b.MSH", head_4 + nodes_4 + elements_4)));
}

TEST_F(MeshFile, MalformedGmshFilesAreRefusedWithFileAndLine) {
  const std::map<std::string, std::pair<std::string, std::string>> cases = {
      {"", {"a.msh", "ends"}},
      {"$Nodes\n", {":1:", "$MeshFormat"}},
      {"$MeshFormat\n3 0 8\n", {":2:", "version '3'"}},
      {"$MeshFormat\n2.2 1 8\n", {":2:", "binary"}},
      {head_2 + nodes_2.substr(0, 30), {":8:", "coordinate"}},
      {head_2 + "$Nodes\n2\n1 0 0 0\n", {":6:", "ends"}},
      {head_2 + "$Nodes\n1\n1 0 NaN 0\n$EndNodes\n", {":6:", "coordinate"}},
      {head_2 + "$Nodes\n1\n1 0 zero 0\n$EndNodes\n", {":6:", "coordinate"}},
      {head_2 + "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", {":7:", "second node 1"}},
      {head_2 + "$Nodes\n-2\n", {":5:", "number of nodes"}},
      {head_2 + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", {":7:", "$EndNodes"}},
      {head_2 + elements_2, {":4:", "before the nodes"}},
      {head_2 + nodes_2, {"a.msh", "no triangles"}},
      {head_2 + nodes_2 + "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", {":13:", "no node 3"}},
      {head_2 + nodes_2 + "$Elements\n1\n1 2 0 1 2\n$EndElements\n", {":13:", "node's number"}},
      {head_2 + nodes_2 + "$Elements\n1\n1 2 0 1 2 2\n$EndElements\n", {":13:", "no area"}},
      {head_2 + nodes_2 + "$Elements\n1\n1 3 0 1 2 30 4\n$EndElements\n", {":13:", "quadrangle"}},
      {head_2 + nodes_2 + "$Elements\n2\n1 2 0 1 2 30\n", {":13:", "ends"}},
      {head_4 + nodes_4.substr(0, 40), {"a.msh:", "ends"}},
      {head_4 + nodes_4 + "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 7\n$EndElements\n", {":24:", "no node 7"}},
      {head_2 + "stray\n", {":4:", "section"}},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal("a.msh", text);
    EXPECT_NE(message.find(expected.first), std::string::npos) << message << "\n" << text;
    EXPECT_NE(message.find(expected.second), std::string::npos) << message << "\n" << text;
    EXPECT_NE(message.find("remedy"), std::string::npos) << message;
  }
}

TEST_F(MeshFile, EveryTruncationIsRefusedOrRead) {
  for (const std::string& whole : {head_2 + nodes_2 + elements_2, head_4 + nodes_4 + elements_4}) {
    const std::size_t needed = whole.find("$EndElements");
    for (std::size_t size = 0; size < needed; ++size)
      EXPECT_NE(refusal("a.msh", whole.substr(0, size)), "read") << size;
  }
}

// A mesh as text that assimp reads.
std::string as_stl(const TriangleMesh& mesh) {
  std::string text = "solid s\n";
  for (Index t = 0; t < mesh.size(); ++t) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const Point& p : mesh.corners(t))
      text +=
          "vertex " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid s\n";
}
std::string as_obj(const TriangleMesh& mesh) {
  std::string text;
  for (const Point& p : mesh.node)
    text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  for (const auto& [a, b, c] : mesh.triangle)
    text += "f " + std::to_string(a + 1) + " " + std::to_string(b + 1) + " " + std::to_string(c + 1) + "\n";
  return text;
}
std::string as_ply(const TriangleMesh& mesh) {
  std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(mesh.node.size()) +
                     "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
                     std::to_string(mesh.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Point& p : mesh.node)
    text += std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  for (const auto& [a, b, c] : mesh.triangle)
    text += "3 " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
  return text;
}

TEST_F(MeshFile, StlObjAndPly) {
  const TriangleMesh sphere = sphere_mesh({4, 3}, 1, {0, 0, 0});
  const auto total = [](const TriangleMesh& mesh) {
    const auto area = areas(mesh);
    return std::accumulate(area.begin(), area.end(), 0.0);
  };
  for (const auto& file :
       {write("a.stl", as_stl(sphere)), write("a.obj", as_obj(sphere)), write("a.PLY", as_ply(sphere))}) {
    const TriangleMesh mesh = read_mesh(file);
    EXPECT_EQ(mesh.size(), sphere.size()) << file;
    EXPECT_NEAR(total(mesh), total(sphere), 1e-4) << file;
  }
}

// As maps have them: steps of single precision are a part of the edges there, which double resolves.
TEST_F(MeshFile, FarFromTheOriginSinglePrecisionIsRefused) {
  const auto refused = testing::HasSubstr("in single precision");
  for (const auto& [where, matcher] : {std::pair{1e5, testing::Matcher<std::string>(refused)},
                                       std::pair{100.0, testing::Matcher<std::string>("read")}}) {
    const TriangleMesh sphere = sphere_mesh({4, 3}, 1, {where, 0, 0});
    EXPECT_THAT(refusal("a.stl", as_stl(sphere)), matcher);
    EXPECT_THAT(refusal("a.obj", as_obj(sphere)), matcher);
    EXPECT_THAT(refusal("a.ply", as_ply(sphere)), matcher);
  }
}

// Before memory is taken for what the header promises.
TEST_F(MeshFile, PlyFilesThatPromiseMoreThanTheyHaveAreRefused) {
  const std::string text = as_ply(sphere_mesh({4, 2}, 1, {0, 0, 0}));
  const auto with = [&](const std::string& part, const std::string& other) {
    const std::size_t at = text.find(part);
    return refusal("a.ply", text.substr(0, at) + other + text.substr(text.find('\n', at)));
  };
  for (const char* const count : {"2000000000", "99999999999999999999", "500"}) {
    EXPECT_NE(with("element vertex", fmt::format("element vertex {}", count)).find("elements 'vertex'"),
              std::string::npos);
    EXPECT_NE(with("element face", fmt::format("element face {}", count)).find("elements 'face'"),
              std::string::npos);
  }
  EXPECT_NE(with("3 0 ", "250 0 1 2").find("more corners than there are vertices"), std::string::npos);
}

TEST_F(MeshFile, TrianglesWithoutAreaAreRemovedWhenTheyMayBe) {
  TriangleMesh flat = sphere_mesh({4, 2}, 1, {0, 0, 0});
  const Index whole = flat.size();
  flat.triangle.push_back({3, 3, 4});
  for (const auto& file : {write("a.stl", as_stl(flat)), write("a.obj", as_obj(flat))}) {
    MeshRepairs repairs;
    EXPECT_EQ(read_mesh(file, {.defects = Defects::repair, .closed = true}, repairs).size(), whole) << file;
    EXPECT_EQ(repairs.without_area, 1) << file;
    EXPECT_EQ(repairs.turned, 0) << file;
  }
}

TEST_F(MeshFile, SurfacesOfSizesThatCannotBeComputedWithAreRefusedAsSuch) {
  const auto of_size = [&](const std::string& size) {
    return refusal("a.msh", head_2 + "$Nodes\n3\n1 0 0 0\n2 1" + size + " 0 0\n3 0 1" + size +
                                " 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n");
  };
  for (const char* const size : {"e-59", "e59"}) EXPECT_EQ(of_size(size), "read");
  for (const char* const size : {"e-200", "e-100", "e-61", "e61", "e100", "e200"})
    EXPECT_NE(of_size(size).find("scale the surface"), std::string::npos) << of_size(size);
}

TEST_F(MeshFile, MalformedSurfacesAreRefusedByName) {
  const TriangleMesh sphere = sphere_mesh({4, 2}, 1, {0, 0, 0});
  TriangleMesh flat = sphere;
  flat.triangle[4][1] = flat.triangle[4][0];
  for (const auto& [name, text] :
       std::map<std::string, std::string>{{"flat.stl", as_stl(flat)},
                                          {"flat.obj", as_obj(flat)},
                                          {"flat.ply", as_ply(flat)},
                                          {"empty.stl", ""},
                                          {"empty.obj", ""},
                                          {"empty.ply", ""},
                                          {"garbage.stl", "hello"},
                                          {"garbage.ply", "hello"},
                                          {"range.obj", as_obj(sphere) + "f 1 2 1000\n"},
                                          {"points.obj", "v 0 0 0\nv 1 0 0\n"},
                                          {"nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n"},
                                          {"truncated.ply", as_ply(sphere).substr(0, 400)},
                                          {"surface.step", "hello"}}) {
    const std::string message = refusal(name, text);
    EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
    EXPECT_NE(message.find("remedy"), std::string::npos) << name << ": " << message;
  }
  EXPECT_THROW(read_mesh("no/such/file.stl"), InputError);
  EXPECT_THROW(read_mesh("no/such/file.msh"), InputError);
}

}  // namespace
}  // namespace trisweep::bem
