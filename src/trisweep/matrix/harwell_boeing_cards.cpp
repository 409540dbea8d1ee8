#include "trisweep/matrix/harwell_boeing_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::matrix {
namespace {

std::string_view from_column(std::string_view line, std::size_t column) {
  return line.substr(std::min(column, line.size()));
}

// The sign of an exponent without its letter, as in 1.5-2; npos where there is none.
std::size_t bare_exponent(std::string_view word) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t sign = word.find_last_of("+-");
  if (sign == std::string_view::npos || sign == 0) return std::string_view::npos;
  const bool follows_number = is_digit(word[sign - 1]) || word[sign - 1] == '.';
  return follows_number && std::ranges::all_of(word.substr(sign + 1), is_digit) ? sign
                                                                                : std::string_view::npos;
}

}  // namespace

void CardReader::expect_blank_from(std::size_t column) const {
  const auto rest = trimmed(from_column(line_, column));
  if (rest.empty()) return;
  throw lines_->error(fmt::format("unexpected {} from column {} on", in_quotes(rest), column + 1),
                      "correct the format in the header, its counts, or the line");
}

std::string_view CardReader::next_field(FortranField& field) {
  const auto position = usize(done_) % format_->size();
  if (position == 0 && !lines_->next(line_)) {
    throw lines_->error(fmt::format("the file ends where {} should be ({} of {} read)", what_, done_, count_),
                        "the file is truncated, or its header promises too much: write it again");
  }
  field = (*format_)[position];
  ++done_;
  if (position + 1 == format_->size() || done_ == count_) expect_blank_from(field.column + field.width);
  return trimmed(from_column(line_, field.column).substr(0, field.width));
}

std::int64_t CardReader::next_integer(std::int64_t low, std::int64_t high) {
  FortranField field{};
  return expect_integer(*lines_, next_field(field), what_, low, high);
}

double CardReader::next_real() {
  FortranField field{};
  auto word = next_field(field);
  std::string with_letter;
  if (const std::size_t sign = bare_exponent(word); field.has_exponent && sign != std::string_view::npos)
    word = with_letter.assign(word).insert(sign, 1, 'E');
  const double value = expect_real(*lines_, word, what_);
  const bool has_point = word.find('.') != std::string_view::npos;
  if (!has_point && field.decimals > 0 && value != 0.0) {
    throw lines_->error(fmt::format("{} has no decimal point: {}. Fortran reads it divided by 10^{}", what_,
                                    in_quotes(word), field.decimals),
                        "write the decimal point");
  }
  const bool has_exponent = word.find_first_of("eEdDqQ+-", 1) != std::string_view::npos;
  return field.scale == 0 || has_exponent ? value : value / std::pow(10.0, field.scale);
}

}  // namespace trisweep::matrix
