#pragma once
// What every input must do to the mesh readers, shared by the fuzzer and the test that replays its corpus.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "apps/bem/mesh_file.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::bem::fuzz {

inline bool is_valid(const TriangleMesh& mesh) {
  const auto finite = [](const Point& p) {
    return std::ranges::all_of(p, [](double x) { return std::isfinite(x); });
  };
  const auto there = [&](const std::array<Index, 3>& t) {
    return std::ranges::all_of(t, [&](Index n) { return n >= 0 && usize(n) < mesh.node.size(); });
  };
  if (mesh.size() == 0 || !std::ranges::all_of(mesh.triangle, there)) return false;
  for (const auto& t : mesh.triangle) {
    for (const Index n : t) {
      if (!finite(mesh.node[usize(n)])) return false;
    }
  }
  return std::ranges::all_of(areas(mesh), [](double a) { return a > 0; });
}

// True when the reader of files with that ending makes a mesh or throws an Error about the input, whatever is
// done to defects.
inline bool reads_or_refuses(std::string_view bytes, const std::string& ending) {
  const auto file = std::filesystem::path("/dev/shm") / ("trisweep-" + std::to_string(getpid()) + ending);
  std::ofstream(file, std::ios::binary) << bytes;
  bool good = true;
  for (const NamedDefects& treatment : defects()) {
    try {
      MeshRepairs repairs;
      good = good && is_valid(read_mesh(file, {.defects = treatment.defects}, repairs));
    } catch (const Error& e) {
      good = good && e.kind() == ErrorKind::input;
    }
  }
  std::filesystem::remove(file);
  return good;
}

}  // namespace trisweep::bem::fuzz
