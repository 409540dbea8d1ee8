#include "outputs.hpp"

#include <fmt/format.h>

#include "trisweep/core/error.hpp"

namespace trisweep::cli {
namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  return std::filesystem::weakly_canonical(absolute(a)) == std::filesystem::weakly_canonical(absolute(b));
}

}  // namespace

void require_distinct(std::span<const OutputOption> options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (std::size_t j = i + 1; j < options.size(); ++j) {
      const auto &a = options[i], &b = options[j];
      if (a.path.empty() || b.path.empty() || !same_file(a.path, b.path)) continue;
      throw Error(ErrorKind::usage, fmt::format("{} and {} both name {}", a.name, b.name, b.path),
                  "give each a file of its own");
    }
  }
}

std::optional<OutputFile> open_output(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return OutputFile(path);
}

}  // namespace trisweep::cli
