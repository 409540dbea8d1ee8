#include "trisweep/matrix/read_triplets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trisweep/core/error.hpp"

namespace trisweep::matrix {
namespace {

template <Scalar T>
void check_rows_are_plausible(const Triplets<T>& entries, const std::filesystem::path& file) {
  constexpr std::size_t always_allowed = std::size_t{1} << 22;
  constexpr std::size_t rows_per_entry = 64;
  if (usize(entries.rows) / rows_per_entry <= entries.row.size() || usize(entries.rows) <= always_allowed)
    return;
  throw InputError(file, 0,
                   fmt::format("declares {} rows but has only {} entries: almost every row would be empty",
                               entries.rows, entries.row.size()),
                   "correct the sizes in the header");
}

template <Scalar T>
Csr<T> bucketed_by_row(const Triplets<T>& entries) {
  Csr<T> a;
  a.pattern.rows = entries.rows;
  a.pattern.cols = entries.cols;
  auto& row_ptr = a.pattern.row_ptr;
  row_ptr.assign(usize(entries.rows) + 1, 0);
  for_each_expanded(entries, [&](Index i, Index, T) { ++row_ptr[usize(i) + 1]; });
  for (std::size_t i = 0; i < usize(entries.rows); ++i) row_ptr[i + 1] += row_ptr[i];

  a.pattern.col.resize(usize(a.nonzeros()));
  a.value.resize(usize(a.nonzeros()));
  // row_ptr[i] walks from the start of row i to its end, which is the start of row i + 1; then shift back.
  for_each_expanded(entries, [&](Index i, Index j, T value) {
    const auto at = usize(row_ptr[usize(i)]++);
    a.pattern.col[at] = j;
    a.value[at] = value;
  });
  std::rotate(row_ptr.begin(), row_ptr.end() - 1, row_ptr.end());
  row_ptr[0] = 0;
  return a;
}

template <Scalar T>
void sort_rows(Csr<T>& a) {
  std::vector<std::pair<Index, T>> scratch;
  for (Index i = 0; i < a.rows(); ++i) {
    const auto begin = usize(a.pattern.row_ptr[usize(i)]);
    const auto columns = a.pattern.row(i);
    if (std::is_sorted(columns.begin(), columns.end())) continue;
    scratch.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) scratch.emplace_back(columns[k], a.value[begin + k]);
    std::sort(scratch.begin(), scratch.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (std::size_t k = 0; k < scratch.size(); ++k) {
      a.pattern.col[begin + k] = scratch[k].first;
      a.value[begin + k] = scratch[k].second;
    }
  }
}

template <Scalar T>
[[noreturn]] void fail_on_duplicate(const Triplets<T>& entries, Index i, Index j,
                                    const std::filesystem::path& file) {
  if (entries.symmetry != Symmetry::general && i < j) std::swap(i, j);
  std::vector<Offset> found;
  for (std::size_t k = 0; k < entries.row.size() && found.size() < 2; ++k) {
    if (entries.row[k] == i && entries.col[k] == j) found.push_back(static_cast<Offset>(k));
  }
  const auto first_line = entries.lines.of(found.front());
  const auto where = first_line > 0 ? fmt::format(" (first on line {})", first_line) : std::string();
  throw InputError(file, entries.lines.of(found.back()),
                   fmt::format("duplicate entry at row {}, column {}{}", i + 1, j + 1, where),
                   "add up the values of repeated entries before you write the file");
}

template <Scalar T>
void check_no_duplicates(const Csr<T>& a, const Triplets<T>& entries, const std::filesystem::path& file) {
  for (Index i = 0; i < a.rows(); ++i) {
    const auto columns = a.pattern.row(i);
    const auto repeated = std::adjacent_find(columns.begin(), columns.end());
    if (repeated != columns.end()) fail_on_duplicate(entries, i, *repeated, file);
  }
}

}  // namespace

std::string_view position_defect(Symmetry symmetry, Index i, Index j) {
  const bool stored = symmetry == Symmetry::general || i >= j;
  return stored ? "" : "an entry above the diagonal of a matrix declared symmetric";
}

std::string_view diagonal_defect(Symmetry symmetry, double real, double imaginary) {
  if (symmetry == Symmetry::skew_symmetric && (real != 0.0 || imaginary != 0.0)) {
    return "a nonzero on the diagonal of a skew-symmetric matrix";
  }
  if (symmetry == Symmetry::hermitian && imaginary != 0.0) {
    return "a value that is not real on the diagonal of a Hermitian matrix";
  }
  return "";
}

std::int64_t EntryLines::of(Offset entry) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), entry,
                                      [](Offset number, const Run& run) { return number < run.entry; });
  return after == runs_.begin() ? 0 : of(*(after - 1), entry);
}

template <Scalar T>
Csr<T> assemble(const Triplets<T>& entries, const std::filesystem::path& file) {
  check_rows_are_plausible(entries, file);
  Csr<T> a = bucketed_by_row(entries);
  sort_rows(a);
  check_no_duplicates(a, entries, file);
  return a;
}

template Csr<double> assemble(const Triplets<double>&, const std::filesystem::path&);
template Csr<std::complex<double>> assemble(const Triplets<std::complex<double>>&,
                                            const std::filesystem::path&);

}  // namespace trisweep::matrix
