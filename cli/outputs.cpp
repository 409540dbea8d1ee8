#include "outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "trisweep/core/error.hpp"

namespace trisweep::cli {
namespace {

namespace fs = std::filesystem;

fs::path path_of(const std::string& name) {
  return name == "-" ? "/dev/stdout" : name;
}

// True if both paths lead to the same file, also through links. (fs::equivalent() does not support pipes.)
bool same_file(const fs::path& a, const fs::path& b) {
  using Status = struct stat;
  Status one{}, other{};
  if (::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0)
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  std::error_code missing;
  const fs::path of_a = fs::weakly_canonical(absolute(a), missing),
                 of_b = fs::weakly_canonical(absolute(b), missing);
  return !of_a.empty() && of_a == of_b;
}

bool is_inside(const fs::path& file, const fs::path& folder) {
  std::error_code missing;
  if (!fs::is_directory(folder, missing)) return false;
  const fs::path inner = fs::weakly_canonical(absolute(file), missing),
                 outer = fs::canonical(folder, missing);
  return std::ranges::mismatch(inner, outer).in2 == outer.end();
}

void require_other(const FileOption& output, const FileOption& other, const char* remedy) {
  if (output.path.empty() || other.path.empty() || !same_file(path_of(output.path), path_of(other.path)))
    return;
  throw Error(ErrorKind::usage, fmt::format("{} and {} both name {}", other.name, output.name, output.path),
              remedy);
}

}  // namespace

void require_distinct(std::span<const FileOption> outputs, std::span<const FileOption> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const FileOption& input : inputs) {
      require_other(outputs[i], input, "write to another file: this one is read");
      if (!outputs[i].path.empty() && !input.path.empty() &&
          is_inside(path_of(outputs[i].path), path_of(input.path)))
        throw Error(ErrorKind::usage,
                    fmt::format("{} {} is in the folder of {}", outputs[i].name, outputs[i].path, input.name),
                    "write to another folder: this one is read");
    }
    for (const FileOption& before : outputs.first(i))
      require_other(outputs[i], before, "give each a file of its own");
  }
}

std::optional<OutputFile> open_output(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return OutputFile(path_of(path));
}

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

}  // namespace trisweep::cli
