#pragma once
// The real matrices of TRISWEEP_MATRICES. Only two of them are part of this repository; a checkout without
// the others tests less, and says so.

#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <vector>

namespace trisweep::test {

// The paths of the files named that are there; a line on standard output names those that are not.
inline std::vector<std::filesystem::path> real_matrices(std::initializer_list<const char*> names) {
  std::vector<std::filesystem::path> found;
  for (const char* name : names) {
    const auto path = std::filesystem::path(TRISWEEP_MATRICES) / name;
    if (std::filesystem::exists(path)) {
      found.push_back(path);
    } else {
      std::printf("not tested: %s is missing\n", path.c_str());
    }
  }
  return found;
}

}  // namespace trisweep::test
