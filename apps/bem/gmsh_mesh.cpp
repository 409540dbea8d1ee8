// Reads Gmsh's MSH files of versions 2.2 and 4.1, as text (Gmsh reference manual, "MSH file format"). Only
// the sections $Nodes and $Elements are read, and of the elements only triangles with three nodes; points,
// lines and volume elements are skipped.

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "apps/bem/mesh_file.hpp"
#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::bem {
namespace {

using matrix::LineReader;
using matrix::Words;

constexpr std::int64_t most = std::numeric_limits<Index>::max();
constexpr const char* write_again = "the file is truncated or damaged: write it again";

class GmshReader {
 public:
  GmshReader(const std::filesystem::path& file, TriangleSink& sink, Observer& observer)
      : sink_(sink), bytes_(file, observer), lines_(bytes_) {}

  void read() {
    read_format();
    bool nodes = false;
    for (std::string_view line; lines_.next(line);) {
      const std::string section(matrix::trimmed(line));
      if (section.empty()) continue;
      if (section.front() != '$')
        throw lines_.error("a section was expected, not " + matrix::in_quotes(line), write_again);
      if (section == "$Nodes") {
        version_4_ ? read_nodes_4() : read_nodes_2();
        nodes = true;
      } else if (section == "$Elements") {
        if (!nodes) throw lines_.error("elements before the nodes", "write the file again by Gmsh");
        version_4_ ? read_elements_4() : read_elements_2();
      } else {
        skip_to("$End" + section.substr(1));
        continue;
      }
      expect_line("$End" + section.substr(1));
    }
  }

 private:
  std::string_view next_line() {
    std::string_view line;
    if (!lines_.next(line)) throw lines_.error("the file ends here", write_again);
    return line;
  }
  void expect_line(const std::string& text) {
    const std::string_view line = next_line();
    if (matrix::trimmed(line) != text)
      throw lines_.error(fmt::format("{} was expected, not {}", text, matrix::in_quotes(line)), write_again);
  }
  void skip_to(const std::string& end) {
    while (matrix::trimmed(next_line()) != end) {
    }
  }
  std::int64_t integer(Words& words, const char* what, std::int64_t low = 0,
                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
    return matrix::expect_integer(lines_, words.next(), what, low, high);
  }
  // Skips an unused integer.
  void pass(Words& words, const char* what) {
    integer(words, what, std::numeric_limits<std::int64_t>::min());
  }

  void read_format() {
    expect_line("$MeshFormat");
    Words words(next_line());
    const std::string version(words.next());
    if (version != "2.2" && version != "4.1")
      throw lines_.error(fmt::format("MSH version {} cannot be read", matrix::in_quotes(version)),
                         "save it in version 4.1 (gmsh -format msh41)");
    version_4_ = version == "4.1";
    if (integer(words, "the file type") != 0)
      throw lines_.error("binary MSH files cannot be read", "save it as text (gmsh -bin 0)");
    skip_to("$EndMeshFormat");
  }

  void add_node(std::int64_t tag, Words& words) {
    Point p{};
    for (double& coordinate : p) coordinate = matrix::expect_real(lines_, words.next(), "a coordinate");
    if (!number_.emplace(tag, static_cast<Index>(sink_.mesh.node.size())).second)
      throw lines_.error(fmt::format("a second node {}", tag), "number the nodes differently");
    sink_.mesh.node.push_back(p);
  }

  void read_nodes_2() {
    Words head(next_line());
    const std::int64_t count = integer(head, "the number of nodes", 0, most);
    for (std::int64_t i = 0; i < count; ++i) {
      Words words(next_line());
      add_node(integer(words, "a node's number"), words);
    }
  }

  // Blocks of nodes: first all their numbers, then all their coordinates.
  void read_nodes_4() {
    Words head(next_line());
    const std::int64_t blocks = integer(head, "the number of blocks", 0, most);
    for (std::int64_t b = 0; b < blocks; ++b) {
      Words words(next_line());
      for (const char* what : {"a dimension", "an entity", "the parametric flag"}) pass(words, what);
      const std::int64_t count = integer(words, "the number of nodes", 0, most);
      std::vector<std::int64_t> tags;
      for (std::int64_t i = 0; i < count; ++i) {
        Words tag(next_line());
        tags.push_back(integer(tag, "a node's number"));
      }
      for (const std::int64_t tag : tags) {
        Words place(next_line());
        add_node(tag, place);
      }
    }
  }

  Index node(Words& words) {
    const std::int64_t tag = integer(words, "a node's number");
    const auto found = number_.find(tag);
    if (found == number_.end())
      throw lines_.error(fmt::format("there is no node {}", tag), "correct the triangle, or list the node");
    return found->second;
  }

  void add_element(std::int64_t type, Words& words) {
    constexpr std::int64_t triangle = 2, quadrangle = 3, triangle_of_6 = 9;
    if (type == quadrangle || type == triangle_of_6)
      throw lines_.error(type == quadrangle ? "a quadrangle" : "a curved triangle",
                         "mesh the surface with triangles of three nodes");
    if (type != triangle) return;
    const Index a = node(words), b = node(words), c = node(words);
    const std::string defect = sink_.add({a, b, c});
    if (!defect.empty())
      throw lines_.error("the triangle " + defect, "remove or correct it, or let --defects repair do it");
  }

  void read_elements_2() {
    Words head(next_line());
    const std::int64_t count = integer(head, "the number of elements", 0, most);
    for (std::int64_t i = 0; i < count; ++i) {
      Words words(next_line());
      pass(words, "an element's number");
      const std::int64_t type = integer(words, "an element's type");
      const std::int64_t tags = integer(words, "the number of tags", 0, 1000);
      for (std::int64_t t = 0; t < tags; ++t) pass(words, "a tag");
      add_element(type, words);
    }
  }

  void read_elements_4() {
    Words head(next_line());
    const std::int64_t blocks = integer(head, "the number of blocks", 0, most);
    for (std::int64_t b = 0; b < blocks; ++b) {
      Words words(next_line());
      for (const char* what : {"a dimension", "an entity"}) pass(words, what);
      const std::int64_t type = integer(words, "the elements' type");
      const std::int64_t count = integer(words, "the number of elements", 0, most);
      for (std::int64_t i = 0; i < count; ++i) {
        Words element(next_line());
        pass(element, "an element's number");
        add_element(type, element);
      }
    }
  }

  TriangleSink& sink_;
  matrix::ByteReader bytes_;
  LineReader lines_;
  bool version_4_ = false;
  std::unordered_map<std::int64_t, Index> number_;  // index of a node, by its number in the file
};

}  // namespace

void read_gmsh(const std::filesystem::path& file, TriangleSink& sink, Observer& observer) {
  GmshReader(file, sink, observer).read();
}

}  // namespace trisweep::bem
