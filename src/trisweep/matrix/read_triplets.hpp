#pragma once
// Between the formats and Csr: the stored entries in the order of the file, and their assembly.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::matrix {

// The largest number of rows, columns or right-hand sides in a file.
inline constexpr std::int64_t largest_index = std::numeric_limits<Index>::max();

// How the stored lower triangle (rows >= columns) defines the upper one.
enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

// What is wrong with storing an entry at (i, j), or with a value on the diagonal; empty when nothing is.
std::string_view position_defect(Symmetry symmetry, Index i, Index j);
std::string_view diagonal_defect(Symmetry symmetry, double real, double imaginary);

// The lines that the entries stand on, run-length coded: entries mostly follow each other line by line.
class EntryLines {
 public:
  explicit EntryLines(std::int64_t entries_per_line = 1) : entries_per_line_(entries_per_line) {}

  // Entry number `entry` (ascending) begins line `line`.
  void record(Offset entry, std::int64_t line) {
    if (runs_.empty() || of(runs_.back(), entry) != line) runs_.push_back({entry, line});
  }

  // 0 when the format has no lines.
  std::int64_t of(Offset entry) const;

 private:
  struct Run {
    Offset entry;
    std::int64_t line;
  };

  std::int64_t of(const Run& run, Offset entry) const {
    return run.line + (entry - run.entry) / entries_per_line_;
  }

  std::int64_t entries_per_line_;
  std::vector<Run> runs_;
};

// Entry k: value[k] at (row[k], col[k]), 0-based and in range; under `symmetry`, only the lower triangle.
template <Scalar T>
struct Triplets {
  Index rows = 0;
  Index cols = 0;
  Symmetry symmetry = Symmetry::general;
  std::vector<Index> row;
  std::vector<Index> col;
  std::vector<T> value;
  EntryLines lines;
};

// The entry of the upper triangle that an entry below the diagonal defines.
template <Scalar T>
T mirrored(Symmetry symmetry, T value) {
  if (symmetry == Symmetry::skew_symmetric) return -value;
  return symmetry == Symmetry::hermitian ? conjugate(value) : value;
}

// Calls place(i, j, value) for each entry and, under a symmetry, for its mirror image.
template <Scalar T, class Place>
void for_each_expanded(const Triplets<T>& entries, Place place) {
  for (std::size_t k = 0; k < entries.row.size(); ++k) {
    const Index i = entries.row[k];
    const Index j = entries.col[k];
    place(i, j, entries.value[k]);
    if (entries.symmetry != Symmetry::general && i != j) {
      place(j, i, mirrored(entries.symmetry, entries.value[k]));
    }
  }
}

// The matrix with both triangles. Sorts by counting: O(entries + rows), plus sorting the rows that need it.
// Throws InputError naming the line of a duplicate entry, and when almost all rows would be empty (an absurd
// size in the header must not become an absurd allocation).
template <Scalar T>
Csr<T> assemble(const Triplets<T>& entries, const std::filesystem::path& file);

}  // namespace trisweep::matrix
