#include "apps/bem/surface_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <vector>

namespace trisweep::bem {
namespace {

// Binary arrays after the text, as they are in memory, each preceded by its size in bytes.
class AppendedArrays {
 public:
  // Returns the XML element that describes the array.
  template <class Number>
  std::string add(const char* type, const std::string& name, int components, std::span<const Number> values) {
    const std::size_t offset = bytes_.size();
    const std::uint64_t size = values.size_bytes();
    append(&size, sizeof size);
    append(values.data(), size);
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        type, name, components, offset);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }

  std::string bytes_;
};

}  // namespace

std::string to_vtu(const TriangleMesh& mesh, std::span<const TriangleField> fields) {
  constexpr std::uint8_t triangle = 5;
  std::vector<Index> ends;
  for (Index t = 1; t <= mesh.size(); ++t) ends.push_back(3 * t);
  const std::vector<std::uint8_t> types(usize(mesh.size()), triangle);
  const std::span coordinates(reinterpret_cast<const double*>(mesh.node.data()), 3 * mesh.node.size());
  const std::span corners(reinterpret_cast<const Index*>(mesh.triangle.data()), 3 * mesh.triangle.size());

  AppendedArrays arrays;
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", mesh.node.size(),
      mesh.size());
  text += "<Points>\n" + arrays.add("Float64", "points", 3, coordinates) + "</Points>\n<Cells>\n";
  text += arrays.add("Int32", "connectivity", 1, corners);
  text += arrays.add("Int32", "offsets", 1, std::span<const Index>(ends));
  text += arrays.add("UInt8", "types", 1, std::span(types)) + "</Cells>\n<CellData>\n";
  for (const TriangleField& field : fields) text += arrays.add("Float64", field.name, 1, field.value);
  text += "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  return text + arrays.bytes() + "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace trisweep::bem
