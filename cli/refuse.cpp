#include "refuse.hpp"

#include <fmt/format.h>

#include "trisweep/core/error.hpp"

namespace trisweep::cli {

void refuse(const CLI::App& sub, std::initializer_list<const char*> options, const std::string& choice,
            const std::string& remedy) {
  for (const char* option : options) {
    if (sub.count(option) > 0)
      throw Error(ErrorKind::usage, fmt::format("{} cannot be combined with {}", option, choice), remedy);
  }
}

}  // namespace trisweep::cli
