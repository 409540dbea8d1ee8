#pragma once
// The lines of a text file, counted, from large blocks.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/byte_reader.hpp"

namespace trisweep::matrix {

class LineReader {
 public:
  // `source` must outlive it.
  explicit LineReader(ByteReader& source);

  // Sets `line` to the next line, without its end (LF or CR LF); false at the end of the file. The view holds
  // until the next call. Throws InputError on a line longer than a block: such a file is not text.
  bool next(std::string_view& line) {
    const void* newline = std::memchr(begin_, '\n', static_cast<std::size_t>(end_ - begin_));
    if (newline == nullptr) return next_across_blocks(line);
    take_line(static_cast<const char*>(newline), line);
    begin_ = static_cast<const char*>(newline) + 1;
    return true;
  }

  // The line that next() returned last, counted from 1.
  std::int64_t number() const { return number_; }

  // The byte of the file that the next line begins at.
  std::size_t position() const { return block_end_ - static_cast<std::size_t>(end_ - begin_); }

  const ByteReader& source() const { return *source_; }

  // A defect of that line.
  InputError error(const std::string& message, const std::string& remedy) const {
    return InputError(source_->file(), number_, message, remedy);
  }

 private:
  bool next_across_blocks(std::string_view& line);

  void take_line(const char* line_end, std::string_view& line) {
    if (line_end != begin_ && line_end[-1] == '\r') --line_end;
    line = std::string_view(begin_, static_cast<std::size_t>(line_end - begin_));
    ++number_;
  }

  ByteReader* source_;
  std::unique_ptr<char[]> block_;
  const char* begin_;  // what next() has not returned yet
  const char* end_;
  std::size_t block_end_;  // the byte of the file at end_
  bool at_end_ = false;
  std::int64_t number_ = 0;
};

}  // namespace trisweep::matrix
