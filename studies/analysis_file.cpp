#include "studies/analysis_file.hpp"

#include "trisweep/storage/fields.hpp"
#include "trisweep/symbolic/consistency.hpp"

namespace trisweep::studies {
namespace {

constexpr storage::FileFormat analysis_format{"saved analysis", 5,
                                              "make it again with trisweep predict --save-analysis"};

// Reading and writing use the same list of fields.
template <class Visit, class Analysis, class Structure>
void for_each_field(const Visit& visit, Analysis& a, Structure& s) {
  visit("matrix", a.matrix);
  visit("ordering", a.ordering);
  visit("diagonal", a.diagonal);
  visit("nonzeros", a.nonzeros);
  visit("complex", a.complex);
  visit("kind", a.kind);
  visit("seconds", a.seconds);
  visit("product", a.product);
  storage::for_each_field_of_structure(visit, s);
}

struct FieldWriter : storage::FieldWriter {
  using storage::FieldWriter::operator();
  void operator()(const char* name, const std::vector<model::ProductShare>& shares) const {
    std::vector<Offset> list;
    for (const auto& s : shares)
      list.insert(list.end(), {s.ranks, s.rows, s.nonzeros, s.neighbours, s.ghosts});
    file.list<Offset>(name, list);
  }
};

struct FieldReader : storage::FieldReader {
  using storage::FieldReader::operator();
  void operator()(const char* name, std::vector<model::ProductShare>& shares) const {
    const auto list = file.list<Offset>(name);
    const auto index = [&](std::size_t at) { return static_cast<Index>(list[at]); };
    for (std::size_t at = 0; at + 5 <= list.size(); at += 5)
      shares.push_back({index(at), index(at + 1), list[at + 2], index(at + 3), index(at + 4)});
  }
};

}  // namespace

void save_analysis(const model::SavedAnalysis& analysis, OutputFile& file) {
  storage::Hdf5Writer writer(file, analysis_format);
  for_each_field(FieldWriter{{writer}}, analysis, *analysis.structure);
  writer.commit();
}

model::SavedAnalysis load_analysis(const std::filesystem::path& path) {
  const storage::Hdf5Reader reader(path, analysis_format);
  model::SavedAnalysis analysis;
  auto structure = std::make_shared<symbolic::Structure>();
  for_each_field(FieldReader{{reader}}, analysis, *structure);
  if (!symbolic::is_consistent(*structure)) reader.refuse("its structure is inconsistent");
  analysis.structure = std::move(structure);
  return analysis;
}

}  // namespace trisweep::studies
