#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

std::string with_remedy(const std::string& message, const std::string& remedy) {
  return remedy.empty() ? message : message + "\n  remedy: " + remedy;
}

std::string located(const std::filesystem::path& file, std::int64_t line, const std::string& message) {
  const std::string place = line > 0 ? file.string() + ":" + std::to_string(line) : file.string();
  return place + ": " + message;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& message, const std::string& remedy)
    : std::runtime_error(with_remedy(message, remedy)), kind_(kind) {}

InputError::InputError(const std::filesystem::path& file, std::int64_t line, const std::string& message,
                       const std::string& remedy)
    : Error(ErrorKind::input, located(file, line, message), remedy) {}

}  // namespace trisweep
