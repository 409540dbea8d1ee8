#pragma once
// Words and numbers of text matrix files, as strict as the formats and as lenient as their authors' Fortran.

#include <cstdint>
#include <string>
#include <string_view>

#include "trisweep/matrix/line_reader.hpp"

namespace trisweep::matrix {

// The words of a line, separated by blanks and tabs.
class Words {
 public:
  explicit Words(std::string_view line) : begin_(line.data()), end_(line.data() + line.size()) {}

  // The next word; empty at the end.
  std::string_view next() {
    while (begin_ != end_ && is_blank(*begin_)) ++begin_;
    const char* start = begin_;
    while (begin_ != end_ && !is_blank(*begin_)) ++begin_;
    return {start, static_cast<std::size_t>(begin_ - start)};
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  const char* begin_;
  const char* end_;
};

// `text` without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

std::string lower_case(std::string_view text);

// 'text', shortened and with unprintable bytes as '?', for messages.
std::string in_quotes(std::string_view text);

enum class NumberDefect { none, garbage, overflow, not_finite };

// Decimal, with an optional sign, the exponent letters E, D or Q of Fortran, and Fortran's exponents of three
// digits without a letter (1.5-104). A value too small for a double becomes zero.
NumberDefect parse_real(std::string_view word, double& value);

// Decimal with an optional sign.
NumberDefect parse_integer(std::string_view word, std::int64_t& value);

// The same, or an InputError at the current line. `what` names the number ("a row index"); it must lie in
// [low, high].
double expect_real(const LineReader& lines, std::string_view word, const char* what);
std::int64_t expect_integer(const LineReader& lines, std::string_view word, const char* what,
                            std::int64_t low, std::int64_t high);

}  // namespace trisweep::matrix
