#include "trisweep/storage/factor_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <utility>

#include "trisweep/core/permutation.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/storage/fields.hpp"
#include "trisweep/symbolic/consistency.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::storage {
namespace {

constexpr FileFormat index_format{"trisweep factors", 5, "make the factors again with trisweep factor"};

template <class Visit, class Header>
void for_each_field(const Visit& visit, Header& head) {
  visit("identity", head.identity);
  visit("scalar", head.scalar);
  visit("precision", head.precision);
  visit("diagonal", head.diagonal);
  visit("kind", head.kind);
  visit("positive_pivots", head.pivots.positive);
  visit("negative_pivots", head.pivots.negative);
  visit("zero_pivots", head.pivots.zero);
  visit("pivots_have_signs", head.pivots.has_signs);
  visit("log_determinant", head.pivots.log_modulus);
  visit("determinant_phase", head.phase);
  visit("perturbed_pivots", head.perturbed_pivots);
  visit("delayed_pivots", head.delayed_pivots);
  visit("scaled_norm_one", head.scaled_norm_one);
  visit("holds_matrix", head.holds_matrix);
  visit("file", head.file);
  visit("row_begin", head.row_begin);
}

template <class Visit, class Ordering>
void for_each_field_of_ordering(const Visit& visit, Ordering& order) {
  visit("row_new", order.row_new);
  visit("col_new", order.col_new);
  visit("row_scale", order.row_scale);
  visit("col_scale", order.col_scale);
  visit("order_levels", order.tree.levels);
  visit("order_begin", order.tree.begin);
  visit("order_end", order.tree.end);
}

template <class Row>
bool is_name_in(std::span<const Row> table, const std::string& name) {
  return std::ranges::any_of(table, [&](const Row& row) { return row.name == name; });
}

// Of files that have all rows.
bool is_partition(const std::vector<Index>& begin) {
  return begin.size() > 1 && begin.front() == 0 && begin.back() > 0 && std::ranges::is_sorted(begin);
}

bool is_consistent(const solve::Analysis& analysis, const FactorHead& head) {
  const symbolic::Structure& s = *analysis.structure;
  const ordering::Ordering& order = analysis.ordering;
  const auto n = usize(s.n);
  return symbolic::is_consistent(s) && symbolic::is_consistent(order.tree, s.n) &&
         order.row_new.size() == n && is_permutation(order.row_new) && order.col_new.size() == n &&
         is_permutation(order.col_new) && order.row_scale.size() == n && order.col_scale.size() == n &&
         head.file.size() == usize(s.supernodes()) &&
         std::ranges::all_of(head.file, [](Index rank) { return rank >= 0; }) &&
         is_partition(head.row_begin) && head.row_begin.back() == s.n;
}

}  // namespace

std::string foreign_to_factors(const std::filesystem::path& folder) {
  return foreign_file(folder, index_format, {"panels", "rows"});
}

void write_index(const OutputFolder& folder, const FactorIndex& index) {
  OutputFile output(folder.temporary() / index_of_folder);
  Hdf5Writer file(output, index_format);
  const FieldWriter write{file};
  for_each_field(write, index.head);
  for_each_field_of_ordering(write, index.analysis->ordering);
  for_each_field_of_structure(write, *index.analysis->structure);
  file.commit();
}

template <Scalar T>
FactorIndex read_index(const std::filesystem::path& folder) {
  const Hdf5Reader file(folder / index_of_folder, index_format);
  FactorIndex index;
  auto analysis = std::make_shared<solve::Analysis>();
  auto structure = std::make_shared<symbolic::Structure>();
  const FieldReader read{file};
  for_each_field(read, index.head);
  const FactorHead& head = index.head;
  if (!is_name_in(model::precisions(), head.precision) || !is_name_in(symbolic::diagonals(), head.diagonal) ||
      !is_name_in(numeric::kinds(), head.kind) || head.phase.size() != 2)
    file.refuse("it names an unknown precision, diagonal or kind");
  const bool is_single = model::find_precision(head.precision).single_system;
  if ((head.scalar == "complex") != is_complex<T> || is_single != std::same_as<RealOf<T>, float>)
    throw Error(
        ErrorKind::input,
        fmt::format("{}: its factors are {} in {} precision, and the system is {} in {} precision",
                    (folder / index_of_folder).string(), head.scalar, head.precision,
                    is_complex<T> ? "complex" : "real", std::same_as<RealOf<T>, float> ? "float" : "double"),
        "give right-hand sides and a precision as the factors have, or solve with the matrix itself");
  for_each_field_of_ordering(read, analysis->ordering);
  for_each_field_of_structure(read, *structure);
  analysis->structure = std::move(structure);
  analysis->kind = numeric::find_kind(head.kind).kind;
  if (!is_consistent(*analysis, head)) file.refuse("its structure is inconsistent");
  index.analysis = std::move(analysis);
  return index;
}

SavedSystem saved_system(const std::filesystem::path& folder) {
  const Hdf5Reader file(folder / index_of_folder, index_format);
  SavedSystem saved{
      .precision = file.text("precision"),
      .is_complex = file.text("scalar") == "complex",
      .rows = {
          .folder = folder, .identity = file.text("identity"), .partition = {file.list<Index>("row_begin")}}};
  if (!is_name_in(model::precisions(), saved.precision)) file.refuse("it names an unknown precision");
  if (!is_partition(saved.rows.partition.begin)) file.refuse("its matrix is inconsistent");
  return saved;
}

#define INSTANTIATE(T) template FactorIndex read_index<T>(const std::filesystem::path&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::storage
