#pragma once
// The bytes of an input file, decompressed when it is gzipped, in order and in blocks.

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trisweep/core/observer.hpp"

namespace trisweep::matrix {

// Throws InputError naming the file if it is missing, a folder or unreadable; read() and peek() also for
// truncated or corrupt gzip data. Reports progress("read", fraction of the file's bytes) after each block (0
// for a pipe, whose length is unknown); `observer` must outlive the reader.
class ByteReader {
 public:
  ByteReader(const std::filesystem::path& file, Observer& observer);

  const std::filesystem::path& file() const { return file_; }
  // Size in bytes and time of the last change (ns); 0 for a pipe.
  std::size_t size() const { return size_; }
  std::int64_t changed() const { return changed_; }
  // True if seek() works: not in a pipe, nor in compressed data. After the first read() or peek().
  bool is_seekable() const { return size_ > 0 && gzdirect(stream_.get()) != 0; }

  // The next read() begins at byte `begin`. Progress is reported as a fraction of the bytes up to `end`.
  void seek(std::size_t begin, std::size_t end);
  // The byte of the content that the next read() begins at.
  std::size_t position() const;

  // Fills `into` and returns the number of bytes, fewer than asked only at the end of the content.
  std::size_t read(std::span<char> into);

  // The next `count` bytes (fewer at the end), which a later read() returns again.
  std::string_view peek(std::size_t count);

  // About how many items of at least `bytes_per_item` the content can hold: what to reserve when a header
  // promises `declared` of them. Headers lie; file sizes do not.
  std::size_t plausible_items(std::size_t declared, std::size_t bytes_per_item) const;

 private:
  struct Close {
    void operator()(gzFile_s* stream) const { gzclose(stream); }
  };

  std::size_t read_stream(std::span<char> into);
  [[noreturn]] void fail_reading(int code) const;

  std::filesystem::path file_;
  Observer* observer_;
  std::size_t size_ = 0;             // bytes on disk; 0 when unknown (a pipe)
  std::int64_t changed_ = 0;         // ns
  std::size_t begin_ = 0, end_ = 0;  // of the bytes to be read, for progress
  std::unique_ptr<gzFile_s, Close> stream_;
  std::string pending_;  // peeked, not yet read
};

}  // namespace trisweep::matrix
