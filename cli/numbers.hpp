#pragma once
// Checks of an option's number for CLI11, whose own checks accept NaN.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace trisweep::cli {

// least <= number <= most.
inline auto between(double least, double most) {
  return [=](const std::string& text) -> std::string {
    double number = NAN;
    if (CLI::detail::lexical_cast(text, number) && number >= least && number <= most) return {};
    return fmt::format("takes a number from {} to {}, not '{}'", least, most, text);
  };
}

// Above zero, and finite.
inline std::string check_positive(const std::string& text) {
  double number = NAN;
  if (CLI::detail::lexical_cast(text, number) && number > 0 && std::isfinite(number)) return {};
  return "takes a number above zero, not '" + text + "'";
}

// Above zero and below one: tolerances relative to an initial value.
inline std::string check_below_one(const std::string& text) {
  double number = NAN;
  if (CLI::detail::lexical_cast(text, number) && number > 0 && number < 1) return {};
  return "takes a number above zero and below one, not '" + text + "'";
}

}  // namespace trisweep::cli
