#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <fstream>
#include <limits>

#include "apps/bem/mesh_file.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::bem {
namespace {

// Reads one part of the scene. Of assimp only the reader is used: its postprocessing steps end the program if
// a file is damaged.
class PartReader {
 public:
  PartReader(TriangleSink& sink, const std::filesystem::path& file) : sink_(sink), file_(file) {}

  void append(const aiMesh& part) {
    const auto first = static_cast<Index>(sink_.mesh.node.size());
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
      const aiVector3D& p = part.mVertices[v];
      sink_.mesh.node.push_back({double(p.x), double(p.y), double(p.z)});
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices > part.mNumVertices)
        throw InputError(file_, 0, fmt::format("facet {} has more corners than there are vertices", f + 1),
                         "correct the number of its corners, which comes before them");
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= part.mNumVertices) refuse(f, "has a corner that is none of the vertices");
      }
      // Points and lines give no triangle; a polygon gives a fan of them.
      for (unsigned k = 2; k < face.mNumIndices; ++k) {
        const std::string defect =
            sink_.add({first + Index(face.mIndices[0]), first + Index(face.mIndices[k - 1]),
                       first + Index(face.mIndices[k])});
        if (!defect.empty()) refuse(f, defect);
      }
    }
  }

 private:
  [[noreturn]] void refuse(unsigned facet, const std::string& defect) const {
    throw InputError(file_, 0, fmt::format("facet {} {}", facet + 1, defect),
                     "remove or correct it, or let --defects repair do it");
  }

  TriangleSink& sink_;
  const std::filesystem::path& file_;
};

// Far from the origin, single precision may not resolve a body's edges. (Near the origin its edges have
// enough digits, wherever the body is moved to.)
void require_digits(const TriangleMesh& mesh, const std::filesystem::path& file) {
  constexpr double most_of_edge = 1e-3, far = 8;
  double farthest = 0, shortest = std::numeric_limits<double>::infinity();
  Point low = mesh.node.front(), high = low;
  for (const Point& p : mesh.node) {
    for (std::size_t k = 0; k < 3; ++k) {
      farthest = std::max(farthest, std::abs(p[k]));
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  for (Index t = 0; t < mesh.size(); ++t) {
    const Corners c = mesh.corners(t);
    shortest = std::min({shortest, length(c[1] - c[0]), length(c[2] - c[1]), length(c[0] - c[2])});
  }
  const double step = farthest * std::numeric_limits<float>::epsilon();
  if (step <= most_of_edge * shortest || farthest <= far * length(high - low)) return;
  throw InputError(
      file, 0,
      fmt::format("coordinates up to {:.3g} have steps of {:.1e} in single precision, in which this "
                  "format is read, too much for edges of {:.1e}",
                  farthest, step, shortest),
      "move the body to the origin, or save it as .msh, which is read in double precision");
}

constexpr const char* write_ply_again = "the file is truncated or damaged: write it again";

// A kind of elements in a PLY file, and their number according to its header.
struct PlyElements {
  std::string name;
  std::int64_t count = 0;
  std::int64_t properties = 0;
};

// assimp allocates memory for the number of elements in a PLY file's header, and never ends if the header has
// no end. A property takes at least one byte, in text at least a digit and a separator.
void check_ply_header(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("ply")) return;
  std::vector<PlyElements> elements;
  bool is_text = false;
  while (std::getline(in, line)) {
    matrix::Words words(line);
    const std::string_view word = words.next();
    if (word == "format") is_text = words.next() == "ascii";
    if (word == "property" && !elements.empty()) ++elements.back().properties;
    if (word == "element") {
      PlyElements& made = elements.emplace_back();
      made.name = words.next();
      const std::string_view count = words.next();
      if (matrix::parse_integer(count, made.count) == matrix::NumberDefect::overflow)
        made.count = std::numeric_limits<std::int64_t>::max();
    }
    if (matrix::trimmed(line) != "end_header" || in.eof()) continue;
    const auto bytes =
        static_cast<std::int64_t>(std::filesystem::file_size(file)) - std::int64_t{in.tellg()} + 1;
    for (const PlyElements& of : elements) {
      if (of.count > bytes / std::max<std::int64_t>(1, of.properties * (is_text ? 2 : 1)))
        throw InputError(
            file, 0,
            fmt::format("the header promises more elements '{}' than the file has room for", of.name),
            write_ply_again);
    }
    return;
  }
  throw InputError(file, 0, "the header does not end", write_ply_again);
}

}  // namespace

void read_with_assimp(const std::filesystem::path& file, TriangleSink& sink) {
  if (!std::ifstream(file)) throw InputError(file, 0, "cannot be read", "check the name and its permissions");
  check_ply_header(file);
  Assimp::Importer importer;
  const aiScene* const scene = importer.ReadFile(file.string(), 0);
  if (scene == nullptr)
    throw InputError(file, 0, fmt::format("no mesh: {}", importer.GetErrorString()),
                     "the file is damaged, or of another format than its name says");
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) PartReader(sink, file).append(*scene->mMeshes[m]);
  if (sink.mesh.size() > 0) require_digits(sink.mesh, file);
}

}  // namespace trisweep::bem
