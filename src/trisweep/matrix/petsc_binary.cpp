#include "trisweep/matrix/petsc_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/read_triplets.hpp"

namespace trisweep::matrix {
namespace {

using Complex = std::complex<double>;

constexpr std::int64_t mat_class_id = 1211216;
constexpr std::int64_t vec_class_id = 1211214;
constexpr std::int64_t dense_marker = -1;  // in place of the number of nonzeros
constexpr const char* rewrite_remedy = "write the file again with PETSc's MatView or VecView";

std::uint64_t from_big_endian(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < count; ++k) word = word << 8 | static_cast<unsigned char>(bytes[k]);
  return word;
}

class PetscReader {
 public:
  explicit PetscReader(ByteReader& source) : source_(&source) {
    const auto head = source.peek(4);
    integer_bytes_ = head.size() == 4 && from_big_endian(head.data(), 4) == 0 ? 8 : 4;
  }

  [[noreturn]] void fail(const std::string& message, const std::string& remedy = rewrite_remedy) const {
    throw InputError(source_->file(), 0, message, remedy);
  }

  // The class id of the object that comes next; nothing at the end of the file or before anything else.
  std::optional<std::int64_t> next_class_id() const {
    const auto head = source_->peek(integer_bytes_);
    if (head.size() < integer_bytes_) return std::nullopt;
    const auto id = static_cast<std::int64_t>(from_big_endian(head.data(), integer_bytes_));
    return id == mat_class_id || id == vec_class_id ? std::optional(id) : std::nullopt;
  }

  bool at_end() const { return source_->peek(1).empty(); }

  std::int64_t read_integer(const char* what) {
    std::int64_t value = 0;
    require_all(read_words(1, integer_bytes_, [&](std::uint64_t word) { value = to_integer(word); }), 1,
                what);
    return value;
  }

  Index read_size(const char* what) {
    const std::int64_t size = read_integer(what);
    if (size < 1 || size > largest_index) {
      fail(fmt::format("{} is out of range: {} is not in 1..{}", what, size, largest_index));
    }
    return static_cast<Index>(size);
  }

  std::size_t integer_bytes() const { return integer_bytes_; }
  // Continues at byte `begin` of the file, where `bytes` are to be read.
  void seek(std::size_t begin, std::size_t bytes) { source_->seek(begin, begin + bytes); }
  std::size_t position() const { return source_->position(); }

  // `count` integers, each in [0, limit].
  std::vector<Index> read_indices(std::int64_t count, const char* what, Index limit) {
    std::vector<Index> indices;
    indices.reserve(source_->plausible_items(usize(count), integer_bytes_));
    const std::int64_t read = read_words(count, integer_bytes_, [&](std::uint64_t word) {
      const std::int64_t index = to_integer(word);
      if (index < 0 || index > limit) {
        fail(fmt::format("{} is out of range: {} (number {}) is not in 0..{}", what, index,
                         indices.size() + 1, limit));
      }
      indices.push_back(static_cast<Index>(index));
    });
    require_all(read, count, what);
    return indices;
  }

  std::vector<double> read_doubles(std::int64_t count) {
    std::vector<double> numbers;
    numbers.reserve(source_->plausible_items(usize(count), sizeof(double)));
    require_all(append_doubles(count, numbers), count, "a value");
    return numbers;
  }

  // The doubles of `count` values: `count` of them when real, twice as many when complex.
  std::vector<double> read_scalars(std::int64_t count, bool& complex) {
    std::vector<double> numbers = read_doubles(count);
    complex = count > 0 && !at_end() && !next_class_id();
    const bool whole = !complex || append_doubles(count, numbers) == count;
    if (!whole || (!at_end() && !next_class_id())) {
      fail(fmt::format(
               "the {} values take neither 8 bytes each (real) nor 16 (complex), to the end of the file",
               count),
           "it is truncated, has more behind its last object, or is not of double precision: write it again");
    }
    return numbers;
  }

 private:
  std::int64_t to_integer(std::uint64_t word) const {
    return integer_bytes_ == 4 ? static_cast<std::int32_t>(word) : static_cast<std::int64_t>(word);
  }

  std::int64_t append_doubles(std::int64_t count, std::vector<double>& numbers) {
    return read_words(count, sizeof(double), [&](std::uint64_t word) {
      const auto value = std::bit_cast<double>(word);
      if (!std::isfinite(value)) {
        fail(fmt::format("value number {} is not finite", numbers.size() + 1),
             "repair the program that wrote the file; a system with NaN or infinity has no solution");
      }
      numbers.push_back(value);
    });
  }

  void require_all(std::int64_t read, std::int64_t count, const char* what) const {
    if (read == count) return;
    fail(fmt::format("the file ends where {} should be ({} of {} read)", what, read, count),
         "the file is truncated: copy or write it again");
  }

  // Calls take(word) for `count` words, or as many as there are; returns their number. Reads in blocks, so
  // that memory grows only with the actual content of the file.
  template <class Take>
  std::int64_t read_words(std::int64_t count, std::size_t word_bytes, Take take) {
    constexpr std::size_t block_words = 1 << 15;
    block_.resize(block_words * sizeof(std::uint64_t));
    std::int64_t done = 0;
    while (done < count) {
      const auto words = std::min(block_words, usize(count - done));
      const std::size_t bytes = source_->read(std::span(block_).first(words * word_bytes));
      for (std::size_t k = 0; k < bytes / word_bytes; ++k)
        take(from_big_endian(&block_[k * word_bytes], word_bytes));
      done += static_cast<std::int64_t>(bytes / word_bytes);
      if (bytes < words * word_bytes) break;
    }
    return done;
  }

  ByteReader* source_;
  std::size_t integer_bytes_;
  std::vector<char> block_;
};

template <Scalar T>
std::vector<T> scalars(std::vector<double> numbers) {
  if constexpr (is_complex<T>) {
    std::vector<T> values(numbers.size() / 2);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = {numbers[2 * k], numbers[2 * k + 1]};
    return values;
  } else {
    return numbers;
  }
}

std::int64_t sum_of_lengths(const PetscReader& reader, const std::vector<Index>& lengths,
                            std::int64_t declared) {
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  // Builds with 32-bit indices write the largest integer when there are more nonzeros than it can count.
  if (total != declared && !(declared == largest_index && total > largest_index)) {
    reader.fail(fmt::format("the header declares {} nonzeros, but the rows have {}", declared, total));
  }
  return total;
}

template <Scalar T>
Triplets<T> with_values(Triplets<double> structure, std::vector<double> numbers) {
  Triplets<T> entries;
  entries.rows = structure.rows;
  entries.cols = structure.cols;
  entries.row = std::move(structure.row);
  entries.col = std::move(structure.col);
  entries.value = scalars<T>(std::move(numbers));
  return entries;
}

struct MatHeader {
  Index rows, cols;
  std::int64_t nonzeros;  // as declared
};

MatHeader read_mat_header(PetscReader& reader) {
  reader.read_integer("the class id");
  const Index rows = reader.read_size("the number of rows"), cols = reader.read_size("the number of columns");
  return {rows, cols, reader.read_integer("the number of nonzeros")};
}

// The columns of the `count` entries that come next, in rows from `first` on of these lengths.
Triplets<double> read_structure(PetscReader& reader, const MatHeader& mat, std::int64_t count, Index first,
                                std::span<const Index> lengths) {
  Triplets<double> structure;
  structure.rows = mat.rows;
  structure.cols = mat.cols;
  structure.col = reader.read_indices(count, "a column index", mat.cols - 1);
  structure.row.reserve(structure.col.size());
  for (const Index length : lengths) structure.row.insert(structure.row.end(), usize(length), first++);
  return structure;
}

AnyCsr read_mat(PetscReader& reader, const std::filesystem::path& file) {
  const MatHeader mat = read_mat_header(reader);
  if (mat.nonzeros == dense_marker) {
    reader.fail("a dense matrix", "store it sparse: convert it to MATAIJ before MatView");
  }
  const auto lengths = reader.read_indices(mat.rows, "the length of a row", mat.cols);
  const std::int64_t nonzeros = sum_of_lengths(reader, lengths, mat.nonzeros);
  Triplets<double> structure = read_structure(reader, mat, nonzeros, 0, lengths);
  bool complex = false;
  auto numbers = reader.read_scalars(nonzeros, complex);
  if (complex) return assemble(with_values<Complex>(std::move(structure), std::move(numbers)), file);
  return assemble(with_values<double>(std::move(structure), std::move(numbers)), file);
}

AnyDense read_vec(PetscReader& reader) {
  reader.read_integer("the class id");
  const Index size = reader.read_size("the length of the vector");
  bool complex = false;
  auto numbers = reader.read_scalars(size, complex);
  if (complex) return Dense<Complex>{size, 1, scalars<Complex>(std::move(numbers))};
  return Dense<double>{size, 1, std::move(numbers)};
}

}  // namespace

bool is_petsc_binary(ByteReader& source) {
  std::string head(source.peek(4));
  std::ranges::reverse(head);
  const auto turned = static_cast<std::int64_t>(from_big_endian(head.data(), head.size()));
  if (turned == mat_class_id || turned == vec_class_id)
    throw InputError(source.file(), 0, "a PETSc binary file of the other byte order, little-endian",
                     "write it big-endian, as PETSc does on every machine");
  return PetscReader(source).next_class_id().has_value();
}

AnyCsr read_petsc_binary(ByteReader& source) {
  PetscReader reader(source);
  if (reader.next_class_id() != mat_class_id) {
    reader.fail("holds a vector where a matrix belongs", "give a file that MatView wrote");
  }
  return read_mat(reader, source.file());
}

std::optional<PetscSizes> petsc_sizes(ByteReader& source) {
  PetscReader reader(source);
  if (reader.next_class_id() != mat_class_id) return std::nullopt;
  const MatHeader mat = read_mat_header(reader);
  if (mat.nonzeros < 0) return std::nullopt;
  const std::size_t values = reader.position() + usize(mat.rows + mat.nonzeros) * reader.integer_bytes();
  for (const bool complex : {false, true}) {
    const std::size_t bytes = usize(mat.nonzeros) * (complex ? sizeof(Complex) : sizeof(double));
    if (values + bytes == source.size()) return PetscSizes{mat.rows, mat.cols, mat.nonzeros, complex};
  }
  return std::nullopt;
}

template <Scalar T>
Triplets<T> read_petsc_rows(ByteReader& source, Index first, Index last) {
  PetscReader reader(source);
  const MatHeader mat = read_mat_header(reader);
  const auto lengths = reader.read_indices(mat.rows, "the length of a row", mat.cols);
  const auto columns = reader.position();
  const std::size_t values =
      columns + usize(sum_of_lengths(reader, lengths, mat.nonzeros)) * reader.integer_bytes();
  const auto own = std::span(lengths).subspan(usize(first), usize(last - first));
  const auto before = std::accumulate(lengths.begin(), lengths.begin() + first, std::int64_t{0}),
             count = std::accumulate(own.begin(), own.end(), std::int64_t{0});
  reader.seek(columns + usize(before) * reader.integer_bytes(), usize(count) * reader.integer_bytes());
  Triplets<double> structure = read_structure(reader, mat, count, first, own);
  reader.seek(values + usize(before) * sizeof(T), usize(count) * sizeof(T));
  return with_values<T>(std::move(structure),
                        reader.read_doubles(count * Offset{sizeof(T) / sizeof(double)}));
}

template Triplets<double> read_petsc_rows(ByteReader&, Index, Index);
template Triplets<Complex> read_petsc_rows(ByteReader&, Index, Index);

AnyDense read_petsc_binary_dense(ByteReader& source) {
  PetscReader reader(source);
  while (reader.next_class_id() == mat_class_id) read_mat(reader, source.file());
  if (reader.next_class_id() != vec_class_id) {
    reader.fail("holds a matrix and no vector", "give a file that VecView wrote");
  }
  return read_vec(reader);
}

}  // namespace trisweep::matrix
