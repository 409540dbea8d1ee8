#pragma once
// Files and small matrices for the tests of matrix input and output.

#include <gtest/gtest.h>
#include <zlib.h>

#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "support/read_dense.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::matrix::test {

// A folder of its own for the running test, removed with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "trisweep-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

  std::filesystem::path write_gzipped(const std::string& name, const std::string& content) const {
    const gzFile file = gzopen((path_ / name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Entry (row, column) -> value, 1-based as in the files.
template <Scalar T>
using Entries = std::map<std::pair<Index, Index>, T>;

template <Scalar T>
Entries<T> entries_of(const Csr<T>& a) {
  Entries<T> entries;
  for (Index i = 0; i < a.rows(); ++i) {
    auto k = usize(a.pattern.row_ptr[usize(i)]);
    for (const Index j : a.pattern.row(i)) entries[{i + 1, j + 1}] = a.value[k++];
  }
  return entries;
}

inline Csr<double> real_matrix(const AnyCsr& a) {
  return std::get<Csr<double>>(a);
}
inline Csr<std::complex<double>> complex_matrix(const AnyCsr& a) {
  return std::get<Csr<std::complex<double>>>(a);
}

inline Csr<double> read_real(const std::string& content) {
  const TemporaryFolder folder;
  return real_matrix(read_matrix(folder.write("a.mtx", content)));
}

inline Csr<std::complex<double>> read_complex(const std::string& content) {
  const TemporaryFolder folder;
  return complex_matrix(read_matrix(folder.write("a.mtx", content)));
}

inline AnyDense read_dense_content(const std::string& content) {
  const TemporaryFolder folder;
  return read_dense(folder.write("b.mtx", content));
}

// The message of the InputError that `read` throws, from the file's name on ("a.mtx:3: ..."); empty when it
// throws nothing.
template <class Read>
std::string defect_of(Read read) {
  try {
    read();
    return "";
  } catch (const InputError& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("\n  remedy: "), std::string::npos) << "no remedy: " << message;
    EXPECT_EQ(e.exit_status(), 2);
    const auto first_line = message.substr(0, message.find('\n'));
    const auto separator = first_line.find(": ");
    const auto slash = first_line.rfind('/', separator);
    return slash == std::string::npos ? first_line : first_line.substr(slash + 1);
  }
}

inline std::string matrix_defect(const std::string& content) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.mtx", content);
  return defect_of([&] { read_matrix(file); });
}

inline std::string dense_defect(const std::string& content) {
  const TemporaryFolder folder;
  const auto file = folder.write("b.mtx", content);
  return defect_of([&] { read_dense(file); });
}

}  // namespace trisweep::matrix::test
