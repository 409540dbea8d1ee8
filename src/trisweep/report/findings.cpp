#include "trisweep/report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/report/json.hpp"

namespace trisweep::report {

std::string to_json(const std::string& version, std::span<const Finding> findings) {
  nlohmann::ordered_json record{{"version", version}, {"findings", nlohmann::ordered_json::array()}};
  for (const auto& [name, value, advice] : findings)
    record["findings"].push_back({{"name", name}, {"value", value}, {"advice", advice}});
  return record.dump(2) + "\n";
}

std::string summary(std::span<const Finding> findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += fmt::format("{:<11} {}\n", f.name, f.value);
    if (!f.advice.empty()) text += fmt::format("{:<11} -> {}\n", "", f.advice);
  }
  const auto count = std::ranges::count_if(findings, [](const Finding& f) { return !f.advice.empty(); });
  return text + (count == 0 ? "nothing to do\n" : fmt::format("{} to look at, marked ->\n", count));
}

}  // namespace trisweep::report
