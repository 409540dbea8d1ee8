#include "external.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "trisweep/core/error.hpp"

namespace trisweep::cli {
namespace {

namespace fs = std::filesystem;

// The path of the running program; empty if the system does not provide it.
fs::path this_binary() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown);
}

std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  if (const fs::path binary = this_binary(); !binary.empty()) {
    result.push_back(binary.parent_path());
    result.push_back(binary.parent_path().parent_path() / ".venv" / "bin");
  }
  const char* path = std::getenv("PATH");
  const std::string list = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) result.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

bool is_program(const fs::path& file) {
  std::error_code unreadable;
  return fs::is_regular_file(file, unreadable) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<fs::path> find_external(const std::string& name) {
  if (name.empty() || name.front() == '-' || name.find('/') != std::string::npos) return std::nullopt;
  for (const fs::path& folder : folders()) {
    if (fs::path file = folder / ("trisweep-" + name); is_program(file)) return file;
  }
  return std::nullopt;
}

std::string list_of_externals() {
  constexpr std::string_view prefix = "trisweep-";
  std::set<std::string> names;
  std::error_code unreadable;
  for (const fs::path& folder : folders()) {
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
      const std::string name = entry.path().filename();
      if (name.starts_with(prefix) && is_program(entry.path())) names.insert(name.substr(prefix.size()));
    }
  }
  return names.empty() ? fmt::format("The Python package of scripts/build --python adds: {}",
                                     fmt::join(programs_of_python_package, ", "))
                       : fmt::format("Programs of their own: {}", fmt::join(names, ", "));
}

void run_external(const fs::path& program, char** argv) {
  if (const fs::path binary = this_binary(); !binary.empty()) setenv("TRISWEEP_BINARY", binary.c_str(), 1);
  std::string name = program.string();
  argv[1] = name.data();
  execv(program.c_str(), argv + 1);
  throw Error(ErrorKind::environment, fmt::format("{}: cannot be run: {}", name, std::strerror(errno)),
              "make it again (scripts/build --python for those of the Python package)");
}

bool is_of_python_package(const std::string& name) {
  return std::ranges::find(programs_of_python_package, name) != programs_of_python_package.end();
}

}  // namespace trisweep::cli
