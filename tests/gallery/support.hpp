#pragma once
// Matrices of the gallery for its tests.

#include <map>
#include <string>

#include "gallery/gallery.hpp"

namespace trisweep::gallery::testing_support {

template <Scalar T = double>
matrix::Csr<T> make(const std::string& kind, Index n, std::uint64_t seed = 1) {
  return std::get<matrix::Csr<T>>(make_matrix(kind, {.n = n, .seed = seed, .complex = is_complex<T>}));
}

// A size of each kind that is small enough for dense algebra.
inline Index small_n(const std::string& kind) {
  static const std::map<std::string, Index> sizes{{"s2d9", 12},          {"cage", 7},    {"fusion", 2},
                                                  {"random", 300},       {"graph", 300}, {"graph-road", 300},
                                                  {"dense-blocks3d", 7}, {"kkt3d", 5}};
  const auto found = sizes.find(kind);
  return found == sizes.end() ? 6 : found->second;
}

}  // namespace trisweep::gallery::testing_support
