#include "trisweep/matrix/text_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace trisweep::matrix {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_plus(std::string_view word) {
  const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '+' && word[1] != '-';
  return plus ? word.substr(1) : word;
}

// `word` with the exponent letter that from_chars knows.
std::string with_c_exponent(std::string_view word) {
  std::string number(word);
  for (char& c : number) {
    if (c == 'D' || c == 'd' || c == 'Q' || c == 'q') c = 'e';
  }
  // Fortran drops the letter when the exponent needs three digits: 0.1234-104.
  const std::size_t sign = number.size() >= 4 ? number.size() - 4 : 0;
  const bool dropped =
      sign > 0 && (number[sign] == '+' || number[sign] == '-') &&
      (is_digit(number[sign - 1]) || number[sign - 1] == '.') &&
      std::all_of(number.begin() + static_cast<std::ptrdiff_t>(sign) + 1, number.end(), is_digit) &&
      number.find('.') < sign;
  if (dropped) number.insert(sign, 1, 'e');
  return number;
}

// Whether a well-formed number beyond the range of double is too large rather than too small: the decimal
// position of its first nonzero digit plus its exponent.
bool is_too_large(std::string_view number) {
  const auto exponent_at = std::min(number.find_first_of("eE"), number.size());
  const auto mantissa = number.substr(0, exponent_at);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  auto magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (exponent_at < number.size()) {
    const auto digits = without_plus(number.substr(exponent_at + 1));
    std::int64_t exponent = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return digits[0] != '-';
    magnitude += std::clamp<std::int64_t>(exponent, -(std::int64_t{1} << 60), std::int64_t{1} << 60);
  }
  return magnitude > 0;
}

NumberDefect parse_unusual_real(std::string_view word, double& value) {
  const std::string number = with_c_exponent(word);
  const char* end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return NumberDefect::garbage;
  if (result.ec == std::errc::result_out_of_range) {
    if (is_too_large(number)) return NumberDefect::overflow;
    value = 0.0;
  }
  return std::isfinite(value) ? NumberDefect::none : NumberDefect::not_finite;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t limit = 40;
  std::string shown(text.substr(0, limit));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", shown, text.size() > limit ? "..." : "");
}

NumberDefect parse_real(std::string_view word, double& value) {
  word = without_plus(word);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ec != std::errc() || result.ptr != word.data() + word.size())
    return parse_unusual_real(word, value);
  return std::isfinite(value) ? NumberDefect::none : NumberDefect::not_finite;
}

NumberDefect parse_integer(std::string_view word, std::int64_t& value) {
  word = without_plus(word);
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ec == std::errc::invalid_argument || result.ptr != word.data() + word.size()) {
    return NumberDefect::garbage;
  }
  return result.ec == std::errc() ? NumberDefect::none : NumberDefect::overflow;
}

double expect_real(const LineReader& lines, std::string_view word, const char* what) {
  double value = 0.0;
  const NumberDefect defect = parse_real(word, value);
  if (defect == NumberDefect::none) return value;
  if (word.empty()) throw lines.error(fmt::format("{} is missing", what), "complete the line");
  if (defect == NumberDefect::garbage) {
    throw lines.error(fmt::format("expected {}, found {}", what, in_quotes(word)),
                      "write a decimal number there");
  }
  if (defect == NumberDefect::overflow) {
    throw lines.error(
        fmt::format("{} is too large for a double: {}", what, in_quotes(word)),
        fmt::format("use units in which no value is beyond {:.3g}", std::numeric_limits<double>::max()));
  }
  throw lines.error(fmt::format("{} is not finite: {}", what, in_quotes(word)),
                    "repair the program that wrote the file; a system with NaN or infinity has no solution");
}

std::int64_t expect_integer(const LineReader& lines, std::string_view word, const char* what,
                            std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const NumberDefect defect = parse_integer(word, value);
  if (word.empty()) throw lines.error(fmt::format("{} is missing", what), "complete the line");
  if (defect == NumberDefect::garbage) {
    throw lines.error(fmt::format("expected {}, found {}", what, in_quotes(word)), "write an integer there");
  }
  if (defect == NumberDefect::overflow || value < low || value > high) {
    throw lines.error(
        fmt::format("{} is out of range: {} is not in {}..{}", what, in_quotes(word), low, high),
        "correct the number, or the sizes in the header");
  }
  return value;
}

}  // namespace trisweep::matrix
