#include "studies/analysis_file.hpp"

#include "trisweep/hmatrix/hdf5_file.hpp"

namespace trisweep::studies {
namespace {

constexpr hmatrix::FileFormat analysis_format{"saved analysis", 4,
                                              "make it again with trisweep predict --save-analysis"};

// Both directions go through the same list of fields.
template <class Visit, class Analysis, class Structure>
void for_each_field(const Visit& visit, Analysis& a, Structure& s) {
  visit("matrix", a.matrix);
  visit("ordering", a.ordering);
  visit("diagonal", a.diagonal);
  visit("nonzeros", a.nonzeros);
  visit("complex", a.complex);
  visit("cholesky", a.cholesky);
  visit("seconds", a.seconds);
  visit("product", a.product);
  visit("rows", s.n);
  visit("first", s.first);
  visit("supernode_of", s.supernode_of);
  visit("parent", s.parent);
  visit("row_ptr", s.row_ptr);
  visit("row", s.row);
  visit("block_ptr", s.block_ptr);
  visit("block", s.block);
  visit("whole", s.whole);
  visit("group", s.group);
  visit("tree_levels", s.tree.levels);
  visit("tree_begin", s.tree.begin);
  visit("tree_end", s.tree.end);
}

struct FieldWriter {
  hmatrix::Hdf5Writer& file;

  void operator()(const char* name, const std::string& text) const { file.text(name, text); }
  template <class V>
  void operator()(const char* name, const V& value) const {
    file.number(name, static_cast<double>(value));
  }
  template <class V>
  void operator()(const char* name, const std::vector<V>& list) const {
    file.list<V>(name, list);
  }
  void operator()(const char* name, const std::vector<char>& list) const {
    file.list(name, std::as_bytes(std::span(list)));
  }
  void operator()(const char* name, const std::vector<symbolic::Block>& blocks) const {
    std::vector<Index> list;
    for (const symbolic::Block& b : blocks) list.insert(list.end(), {b.row_supernode, b.begin, b.end});
    file.list<Index>(name, list);
  }
  void operator()(const char* name, const std::vector<model::ProductShare>& shares) const {
    std::vector<Offset> list;
    for (const auto& s : shares)
      list.insert(list.end(), {s.ranks, s.rows, s.nonzeros, s.neighbours, s.ghosts});
    file.list<Offset>(name, list);
  }
};

struct FieldReader {
  const hmatrix::Hdf5Reader& file;

  void operator()(const char* name, std::string& text) const { text = file.text(name); }
  template <class V>
  void operator()(const char* name, V& value) const {
    value = static_cast<V>(file.number(name));
  }
  template <class V>
  void operator()(const char* name, std::vector<V>& list) const {
    list = file.list<V>(name);
  }
  void operator()(const char* name, std::vector<char>& list) const {
    list.resize(usize(file.size(name)));
    file.read(name, 0, std::as_writable_bytes(std::span(list)));
  }
  void operator()(const char* name, std::vector<symbolic::Block>& blocks) const {
    const auto list = file.list<Index>(name);
    for (std::size_t at = 0; at + 3 <= list.size(); at += 3)
      blocks.push_back({list[at], list[at + 1], list[at + 2]});
  }
  void operator()(const char* name, std::vector<model::ProductShare>& shares) const {
    const auto list = file.list<Offset>(name);
    const auto index = [&](std::size_t at) { return static_cast<Index>(list[at]); };
    for (std::size_t at = 0; at + 5 <= list.size(); at += 5)
      shares.push_back({index(at), index(at + 1), list[at + 2], index(at + 3), index(at + 4)});
  }
};

}  // namespace

void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file) {
  hmatrix::Hdf5Writer writer(file, analysis_format);
  for_each_field(FieldWriter{writer}, analysis, *analysis.structure);
  writer.commit();
}

model::SavedAnalysis load_analysis(const std::filesystem::path& path) {
  const hmatrix::Hdf5Reader reader(path, analysis_format);
  model::SavedAnalysis analysis;
  auto structure = std::make_shared<symbolic::Structure>();
  for_each_field(FieldReader{reader}, analysis, *structure);
  analysis.structure = std::move(structure);
  return analysis;
}

}  // namespace trisweep::studies
