#include "trisweep/matrix/harwell_boeing_format.hpp"

#include <string>

#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::matrix {
namespace {

constexpr std::size_t widest_line = 4096;
constexpr std::size_t longest_format = 80;
constexpr int largest_number = 9999;

// Recursive descent over
//   group: '(' item { [','] item } ')'        item: [-]nP | [n]X | [n]group | [n]letter w [.d [Ee]]
// Every repeated item takes at least one column, so that the line's width bounds the work.
class FormatParser {
 public:
  explicit FormatParser(std::string text) : text_(std::move(text)) {}

  std::optional<FortranFormat> parse() {
    if (!accept('(') || !group() || position_ != text_.size() || fields_.empty()) return std::nullopt;
    return std::move(fields_);
  }

 private:
  char current() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool accept(char c) {
    if (current() != c) return false;
    ++position_;
    return true;
  }

  std::optional<int> number() {
    std::optional<int> value;
    for (; current() >= '0' && current() <= '9'; ++position_) {
      value = value.value_or(0) * 10 + (current() - '0');
      if (*value > largest_number) return std::nullopt;
    }
    return value;
  }

  // Parses a group after its opening parenthesis.
  bool group() {
    const std::size_t start = column_;
    while (!accept(')')) {
      if (!accept(',') && !item()) return false;
    }
    return column_ > start;
  }

  bool item() {
    const bool negative = accept('-');
    const std::optional<int> prefix = number();
    if (prefix && accept('p')) {
      scale_ = negative ? -*prefix : *prefix;
      return true;
    }
    const int count = prefix.value_or(1);
    if (negative || count == 0) return false;
    if (accept('x')) return advance(static_cast<std::size_t>(count));
    return current() == '(' ? repeated_group(count) : repeated_field(count);
  }

  bool repeated_group(int count) {
    const std::size_t start = ++position_;
    for (int repeat = 0; repeat < count; ++repeat) {
      position_ = start;
      if (!group()) return false;
    }
    return true;
  }

  bool repeated_field(int count) {
    const bool integer = accept('i'), has_exponent = !integer && current() != 'f';
    if (!integer && !accept_real_letter()) return false;
    const int width = number().value_or(0);
    const int decimals = accept('.') ? number().value_or(0) : 0;
    if (!integer && accept('e')) number();  // digits of the exponent: they matter to output only
    if (width == 0) return false;
    for (int repeat = 0; repeat < count; ++repeat) {
      fields_.push_back({column_, static_cast<std::size_t>(width), integer ? 0 : decimals,
                         integer ? 0 : scale_, has_exponent});
      if (!advance(static_cast<std::size_t>(width))) return false;
    }
    return true;
  }

  bool accept_real_letter() {
    if (accept('e')) {
      if (!accept('s')) accept('n');
      return true;
    }
    return accept('d') || accept('f') || accept('g');
  }

  bool advance(std::size_t columns) {
    column_ += columns;
    return column_ <= widest_line;
  }

  std::string text_;
  std::size_t position_ = 0;
  std::size_t column_ = 0;
  int scale_ = 0;
  FortranFormat fields_;
};

}  // namespace

std::optional<FortranFormat> parse_fortran_format(std::string_view text) {
  if (text.size() > longest_format) return std::nullopt;
  std::string compact = lower_case(text);
  std::erase(compact, ' ');
  return FormatParser(std::move(compact)).parse();
}

}  // namespace trisweep::matrix
