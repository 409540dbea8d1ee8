#include "trisweep/storage/row_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::storage {
namespace {

constexpr FileFormat row_format{"rows of trisweep factors", 1, "make the factors again with trisweep factor"};

std::filesystem::path path_of(const RowFiles& files, Index number) {
  return files.folder / fmt::format("rows-{}.h5", number);
}

// Appends rows [first, last) of a file of `rows` to `a`.
template <Scalar T>
void append_rows(const Hdf5Reader& file, Index rows, Index first, Index last, matrix::Csr<T>& a) {
  const auto refuse = [&] { file.refuse("its rows are not those of the index beside it"); };
  const Offset entries = file.size("col");
  if (file.size("row_ptr") != rows + 1 || file.size("value") != entries * Offset{sizeof(T)}) refuse();
  std::vector<Offset> row_ptr(usize(last - first) + 1);
  file.read<Offset>("row_ptr", first, row_ptr);
  if (row_ptr.front() < 0 || row_ptr.back() > entries || !std::ranges::is_sorted(row_ptr)) refuse();
  const auto before = a.pattern.col.size(), size = usize(row_ptr.back() - row_ptr.front());
  a.pattern.col.resize(before + size);
  a.value.resize(before + size);
  const std::span cols = std::span(a.pattern.col).subspan(before);
  file.read<Index>("col", row_ptr.front(), cols);
  if (!std::ranges::all_of(cols, [&](Index j) { return j >= 0 && j < a.pattern.cols; })) refuse();
  file.read<std::byte>("value", row_ptr.front() * Offset{sizeof(T)},
                       std::as_writable_bytes(std::span(a.value).subspan(before)));
  for (std::size_t i = 1; i < row_ptr.size(); ++i)
    a.pattern.row_ptr.push_back(static_cast<Offset>(before) + row_ptr[i] - row_ptr.front());
}

}  // namespace

template <Scalar T>
void write_rows(const RowFiles& files, Index number, const matrix::Csr<T>& rows) {
  if (rows.rows() == 0) return;
  OutputFile output(path_of(files, number));
  Hdf5Writer file(output, row_format);
  file.text("identity", files.identity);
  file.list<Offset>("row_ptr", rows.pattern.row_ptr);
  file.list<Index>("col", rows.pattern.col);
  file.list<std::byte>("value", std::as_bytes(std::span(rows.value)));
  file.commit();
}

template <Scalar T>
matrix::Csr<T> read_rows(const RowFiles& files, Index first, Index last) {
  matrix::Csr<T> a;
  a.pattern.rows = last - first;
  a.pattern.cols = files.partition.rows();
  for (Index number = 0; number + 1 < std::ssize(files.partition.begin); ++number) {
    const Index begin = files.partition.first(number), rows = files.partition.count(number);
    const Index from = std::max(first, begin), to = std::min(last, begin + rows);
    if (from >= to) continue;
    const Hdf5Reader file(path_of(files, number), row_format);
    if (file.text("identity") != files.identity) file.refuse("it does not belong to the index beside it");
    append_rows(file, rows, from - begin, to - begin, a);
  }
  return a;
}

#define INSTANTIATE(T)                                                     \
  template void write_rows(const RowFiles&, Index, const matrix::Csr<T>&); \
  template matrix::Csr<T> read_rows<T>(const RowFiles&, Index, Index);
INSTANTIATE(double)
INSTANTIATE(std::complex<double>)

}  // namespace trisweep::storage
