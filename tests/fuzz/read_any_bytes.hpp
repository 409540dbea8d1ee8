#pragma once
// What every input must do to the readers, shared by the fuzzer and the test that replays its corpus.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "support/read_dense.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::matrix::fuzz {

// A file in memory that other code opens by its path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    if (::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("cannot write a file in memory");
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

template <Scalar T>
bool is_finite(T value) {
  return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

template <Scalar T>
bool is_valid(const Csr<T>& a) {
  const Pattern& p = a.pattern;
  if (p.rows < 1 || p.cols < 1 || p.row_ptr.size() != usize(p.rows) + 1 || p.row_ptr.front() != 0)
    return false;
  if (p.col.size() != usize(p.nonzeros()) || a.value.size() != p.col.size()) return false;
  if (!std::is_sorted(p.row_ptr.begin(), p.row_ptr.end())) return false;
  for (Index i = 0; i < p.rows; ++i) {
    const auto row = p.row(i);
    // Strictly ascending: no column repeats.
    if (std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) != row.end()) return false;
    if (!row.empty() && (row.front() < 0 || row.back() >= p.cols)) return false;
  }
  return std::all_of(a.value.begin(), a.value.end(), [](T v) { return is_finite(v); });
}

template <Scalar T>
bool is_valid(const Dense<T>& a) {
  return a.rows >= 1 && a.cols >= 1 && a.value.size() == usize(a.rows) * usize(a.cols) &&
         std::all_of(a.value.begin(), a.value.end(), [](T v) { return is_finite(v); });
}

// True when both readers return a valid result or throw an Error about the input; anything else they throw
// passes through.
inline bool reads_or_refuses(std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto accepted = [](const auto& result) {
    return std::visit([](const auto& a) { return is_valid(a); }, result);
  };
  const auto attempt = [&](auto read) {
    try {
      return accepted(read());
    } catch (const Error& e) {
      return e.kind() == ErrorKind::input;
    }
  };
  const bool matrix = attempt([&] { return read_matrix(file.path()); });
  const bool dense = attempt([&] { return read_dense(file.path()); });
  return matrix && dense;
}

}  // namespace trisweep::matrix::fuzz
