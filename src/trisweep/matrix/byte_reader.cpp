#include "trisweep/matrix/byte_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "trisweep/core/error.hpp"

namespace trisweep::matrix {
namespace {

constexpr unsigned stream_buffer = 1u << 18;
constexpr std::size_t largest_read = std::size_t{1} << 30;  // gzread counts in int

// Text matrices compress 3 to 8 times; a guess that is too low costs only a reallocation.
constexpr std::size_t usual_compression = 8;

int open_for_reading(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) {
    if (file == "-")
      throw InputError(file, 0, "standard input is not read by this name", "name /dev/stdin, or a file");
    throw InputError(file, 0, "no such file", "check the path");
  }
  if (descriptor < 0) {
    throw InputError(file, 0, fmt::format("cannot be opened: {}", std::strerror(errno)),
                     "check the path and its permissions");
  }
  return descriptor;
}

}  // namespace

ByteReader::ByteReader(const std::filesystem::path& file, Observer& observer)
    : file_(file), observer_(&observer) {
  const int descriptor = open_for_reading(file);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw InputError(file, 0, "is a folder, not a matrix file", "name a file in it");
  }
  if (known && S_ISREG(status.st_mode)) {
    size_ = end_ = static_cast<std::size_t>(status.st_size);
    changed_ = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  }
  stream_.reset(gzdopen(descriptor, "rb"));
  if (!stream_) {
    ::close(descriptor);
    throw Error(ErrorKind::environment, fmt::format("not enough memory to read {}", file.string()));
  }
  gzbuffer(stream_.get(), stream_buffer);
}

void ByteReader::fail_reading(int code) const {
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code == Z_ERRNO) {
    throw InputError(file_, 0, fmt::format("cannot be read: {}", std::strerror(errno)),
                     "check the file and its disk");
  }
  const char* what = code == Z_BUF_ERROR ? "the gzip data is truncated" : "the gzip data is corrupt";
  throw InputError(file_, 0, what, "download or compress the file again");
}

std::size_t ByteReader::read_stream(std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto wanted = static_cast<unsigned>(std::min(into.size() - done, largest_read));
    const int got = gzread(stream_.get(), into.data() + done, wanted);
    // A truncated stream still delivers what it has; only the error code shows the truncation.
    int code = Z_OK;
    gzerror(stream_.get(), &code);
    if (got < 0 || code != Z_OK) fail_reading(code);
    done += static_cast<std::size_t>(got);
    if (static_cast<unsigned>(got) < wanted) break;
  }
  const auto done_bytes = static_cast<double>(gzoffset(stream_.get())) - static_cast<double>(begin_);
  const auto all_bytes = static_cast<double>(end_ - begin_);
  observer_->progress("read", all_bytes > 0 ? std::clamp(done_bytes / all_bytes, 0.0, 1.0) : 0.0);
  return done;
}

void ByteReader::seek(std::size_t begin, std::size_t end) {
  pending_.clear();
  if (gzseek(stream_.get(), static_cast<z_off_t>(begin), SEEK_SET) < 0) fail_reading(Z_ERRNO);
  begin_ = begin;
  end_ = end;
}

std::size_t ByteReader::position() const {
  return static_cast<std::size_t>(gztell(stream_.get())) - pending_.size();
}

std::size_t ByteReader::read(std::span<char> into) {
  const std::size_t early = std::min(pending_.size(), into.size());
  std::copy_n(pending_.data(), early, into.data());
  pending_.erase(0, early);
  return early == into.size() ? early : early + read_stream(into.subspan(early));
}

std::string_view ByteReader::peek(std::size_t count) {
  const std::size_t have = pending_.size();
  if (have < count) {
    pending_.resize(count);
    pending_.resize(have + read_stream(std::span(pending_).subspan(have)));
  }
  return std::string_view(pending_).substr(0, count);
}

std::size_t ByteReader::plausible_items(std::size_t declared, std::size_t bytes_per_item) const {
  const std::size_t bytes = gzdirect(stream_.get()) != 0 ? size_ : size_ * usual_compression;
  return std::min(declared, bytes / bytes_per_item + 1);
}

}  // namespace trisweep::matrix
