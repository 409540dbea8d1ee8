#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <fstream>

#include "trisweep/core/error.hpp"
#include "trisweep/hmatrix/mesh_file.hpp"

namespace trisweep::hmatrix {
namespace {

// Of one part of the scene. Nothing is asked of assimp but to read: its later steps end the program when a
// file is damaged.
class PartReader {
 public:
  PartReader(TriangleMesh& mesh, const std::filesystem::path& file) : mesh_(mesh), file_(file) {}

  void append(const aiMesh& part) {
    const auto first = static_cast<Index>(mesh_.node.size());
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
      const aiVector3D& p = part.mVertices[v];
      mesh_.node.push_back({double(p.x), double(p.y), double(p.z)});
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= part.mNumVertices) refuse(f, "has a corner that there is not");
      }
      // Points and lines have none; of polygons there is a fan.
      for (unsigned k = 2; k < face.mNumIndices; ++k) {
        mesh_.triangle.push_back({first + Index(face.mIndices[0]), first + Index(face.mIndices[k - 1]),
                                  first + Index(face.mIndices[k])});
        const std::string defect = defect_of(mesh_.corners(mesh_.size() - 1));
        if (!defect.empty()) refuse(f, defect);
      }
    }
  }

 private:
  [[noreturn]] void refuse(unsigned facet, const std::string& defect) const {
    throw InputError(file_, 0, fmt::format("facet {} {}", facet + 1, defect), "remove or correct it");
  }

  TriangleMesh& mesh_;
  const std::filesystem::path& file_;
};

}  // namespace

TriangleMesh read_with_assimp(const std::filesystem::path& file) {
  if (!std::ifstream(file)) throw InputError(file, 0, "cannot be read", "check the name and its permissions");
  Assimp::Importer importer;
  const aiScene* const scene = importer.ReadFile(file.string(), 0);
  if (scene == nullptr)
    throw InputError(file, 0, fmt::format("no mesh: {}", importer.GetErrorString()),
                     "the file is damaged, or of another format than its name says");
  TriangleMesh mesh;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) PartReader(mesh, file).append(*scene->mMeshes[m]);
  if (mesh.size() == 0) throw InputError(file, 0, "no triangles", "export the surface as triangles");
  return mesh;
}

}  // namespace trisweep::hmatrix
