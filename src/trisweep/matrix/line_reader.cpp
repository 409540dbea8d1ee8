#include "trisweep/matrix/line_reader.hpp"

namespace trisweep::matrix {
namespace {
constexpr std::size_t block_bytes = std::size_t{1} << 20;
}

LineReader::LineReader(ByteReader& source)
    : source_(&source),
      block_(std::make_unique_for_overwrite<char[]>(block_bytes)),
      begin_(block_.get()),
      end_(block_.get()),
      block_end_(source.position()) {}

bool LineReader::next_across_blocks(std::string_view& line) {
  const auto rest = static_cast<std::size_t>(end_ - begin_);
  if (!at_end_) {
    if (rest == block_bytes) {
      throw InputError(source_->file(), number_ + 1, "the line is longer than 1 MiB",
                       "give a text file with one entry a line, or a PETSc binary file");
    }
    std::memmove(block_.get(), begin_, rest);
    const std::size_t got = source_->read({block_.get() + rest, block_bytes - rest});
    at_end_ = got < block_bytes - rest;
    begin_ = block_.get();
    end_ = begin_ + rest + got;
    block_end_ = source_->position();
    return next(line);
  }
  if (rest == 0) return false;
  take_line(end_, line);  // the last line has no end of its own
  begin_ = end_;
  return true;
}

}  // namespace trisweep::matrix
