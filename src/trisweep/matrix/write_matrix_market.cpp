#include <charconv>
#include <concepts>
#include <string>

#include "trisweep/matrix/io.hpp"

namespace trisweep::matrix {
namespace {

// Writes numbers separated by blanks, and lines ended with end_line().
class LineWriter {
 public:
  explicit LineWriter(OutputFile& file) : file_(&file) {}

  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> LineWriter& number(Number value) {
    // The longest shortest double has 24 characters, the longest integer 20.
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    if (!line_.empty()) line_ += ' ';
    line_.append(digits, result.ptr);
    return *this;
  }

  template <Scalar T>
  LineWriter& scalar(T value) {
    number(std::real(value));
    if constexpr (is_complex<T>) number(std::imag(value));
    return *this;
  }

  void end_line() {
    line_ += '\n';
    file_->write(line_);
    line_.clear();
  }

 private:
  OutputFile* file_;
  std::string line_;
};

template <Scalar T>
std::string banner(const std::string& layout) {
  return "%%MatrixMarket matrix " + layout + (is_complex<T> ? " complex general\n" : " real general\n");
}

template <class Matrix>
void write_whole_file(const std::filesystem::path& path, const Matrix& a) {
  OutputFile file(path);
  write_matrix_market(file, a);
  file.commit();
}

}  // namespace

template <Scalar T>
void write_matrix_market(OutputFile& file, const Csr<T>& a) {
  file.write(banner<T>("coordinate"));
  LineWriter writer(file);
  writer.number(a.rows()).number(a.cols()).number(a.nonzeros()).end_line();
  for (Index i = 0; i < a.rows(); ++i) {
    auto k = usize(a.pattern.row_ptr[usize(i)]);
    for (const Index j : a.pattern.row(i)) {
      writer.number(Offset{i} + 1).number(Offset{j} + 1).scalar(a.value[k++]).end_line();
    }
  }
}

template <Scalar T>
DenseWriter<T>::DenseWriter(OutputFile& file, Index rows, Index cols) : file_(&file) {
  file.write(banner<T>("array"));
  LineWriter(file).number(rows).number(cols).end_line();
}

template <Scalar T>
void DenseWriter<T>::column(std::span<const T> entries) {
  LineWriter writer(*file_);
  for (const T value : entries) writer.scalar(value).end_line();
}

template <Scalar T>
void write_matrix_market(OutputFile& file, const Dense<T>& a) {
  DenseWriter<T>(file, a.rows, a.cols).column(a.value);
}

template <Scalar T>
void write_matrix_market(const std::filesystem::path& file, const Csr<T>& a) {
  write_whole_file(file, a);
}

template <Scalar T>
void write_matrix_market(const std::filesystem::path& file, const Dense<T>& a) {
  write_whole_file(file, a);
}

#define TRISWEEP_INSTANTIATE(T)                                                          \
  template void write_matrix_market(OutputFile& file, const Csr<T>& a);                  \
  template class DenseWriter<T>;                                                         \
  template void write_matrix_market(OutputFile& file, const Dense<T>& a);                \
  template void write_matrix_market(const std::filesystem::path& file, const Csr<T>& a); \
  template void write_matrix_market(const std::filesystem::path& file, const Dense<T>& a);
TRISWEEP_FOR_EACH_MATRIX_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::matrix
