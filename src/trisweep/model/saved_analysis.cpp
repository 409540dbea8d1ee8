// The file: a line of text with name and version, a mark of the byte order, length and CRC-32 of what
// follows, and then one field after another, lists with their lengths first.

#include "trisweep/model/saved_analysis.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "trisweep/core/error.hpp"

namespace trisweep::model {
namespace {

constexpr std::string_view title = "Trisweep analysis, version 3\n";
constexpr std::uint32_t byte_order = 0x01020304;

struct Header {
  std::uint32_t order = byte_order;
  std::uint32_t checksum = 0;
  std::uint64_t bytes = 0;
};

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

// Both directions go through the same list of fields.
class Writer {
 public:
  template <class T>
  void operator()(const T& value) {
    append(&value, sizeof(T));
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(std::uint64_t{list.size()});
    append(list.data(), list.size() * sizeof(T));
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  void operator()(T& value) {
    take(&value, sizeof(T));
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(length(sizeof(T)));
    take(list.data(), list.size() * sizeof(T));
  }
  void operator()(std::string& text) {
    text.resize(length(1));
    take(text.data(), text.size());
  }
  bool complete() const { return fits_ && rest_.empty(); }

 private:
  std::size_t length(std::size_t element) {
    std::uint64_t size = 0;
    (*this)(size);
    fits_ = fits_ && size <= rest_.size() / element;
    return fits_ ? size : 0;
  }
  void take(void* to, std::size_t size) {
    fits_ = fits_ && size <= rest_.size();
    if (!fits_ || size == 0) return;
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::string_view rest_;
  bool fits_ = true;
};

template <class Visit, class Analysis, class Structure>
void for_each_field(Visit& visit, Analysis& a, Structure& s) {
  visit(a.matrix);
  visit(a.ordering);
  visit(a.diagonal);
  visit(a.nonzeros);
  visit(a.complex);
  visit(a.cholesky);
  visit(a.seconds);
  visit(a.product);
  visit(s.n);
  visit(s.first);
  visit(s.supernode_of);
  visit(s.parent);
  visit(s.row_ptr);
  visit(s.row);
  visit(s.block_ptr);
  visit(s.block);
  visit(s.whole);
  visit(s.group);
  visit(s.tree.levels);
  visit(s.tree.begin);
  visit(s.tree.end);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw InputError(path, 0, "cannot be read as a saved analysis");
  return std::move(text).str();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(path, 0, why, "make it again with trisweep predict --save-analysis");
}

}  // namespace

void save(const SavedAnalysis& analysis, OutputFile& file) {
  Writer fields;
  for_each_field(fields, analysis, *analysis.structure);
  Writer header;
  header(Header{.checksum = checksum(fields.bytes()), .bytes = fields.bytes().size()});
  file.write(title);
  file.write(header.bytes());
  file.write(fields.bytes());
}

SavedAnalysis load_analysis(const std::string& path) {
  const std::string whole = contents(path);
  if (!whole.starts_with("Trisweep analysis, version ")) refuse(path, "not a saved analysis");
  if (!whole.starts_with(title) || whole.size() < title.size() + sizeof(Header))
    refuse(path, "an analysis saved by another version");
  Header header;
  Reader(std::string_view(whole).substr(title.size(), sizeof(Header)))(header);
  if (header.order != byte_order) refuse(path, "saved on a machine with another byte order");
  const auto fields = std::string_view(whole).substr(title.size() + sizeof(Header));
  SavedAnalysis analysis;
  auto structure = std::make_shared<symbolic::Structure>();
  Reader reader(fields);
  if (header.bytes != fields.size() || header.checksum != checksum(fields))
    refuse(path, "damaged: its checksum is wrong");
  for_each_field(reader, analysis, *structure);
  if (!reader.complete()) refuse(path, "damaged: its fields do not fill it");
  analysis.structure = std::move(structure);
  return analysis;
}

}  // namespace trisweep::model
