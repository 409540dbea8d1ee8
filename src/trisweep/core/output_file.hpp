#pragma once
// A file that appears whole or not at all. Programs open their outputs before long work starts, so that a
// wrong path is an error at once and not after hours; a reader never sees half a file.

#include <filesystem>
#include <string>
#include <string_view>

namespace trisweep {

// Bytes go to a temporary file beside `target`, and commit() renames it. Destroyed without commit(), it
// leaves no trace and an older `target` untouched. A target that is not a regular file (/dev/stdout, a pipe)
// is written directly. Symbolic links are followed, and an existing target keeps its permissions.
//
// Every failure is an Error(environment) that names the target.
class OutputFile {
 public:
  // Fails early: the folder is missing or not writable, the target is a folder or write-protected.
  explicit OutputFile(const std::filesystem::path& target);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile() { discard(); }

  const std::filesystem::path& target() const { return target_; }

  // For what puts bytes where it likes instead of write(): the temporary file, open for reading as well,
  // until commit(); -1 when the target is written directly. What such a writer fails with is thrown by
  // fail().
  int descriptor() const { return temporary_.empty() ? -1 : descriptor_; }
  [[noreturn]] void fail(int code) const;

  // Appends; buffered. Must not be called after commit().
  void write(std::string_view bytes);

  // Makes the file appear. Once.
  void commit();

 private:
  void open_direct();
  void open_temporary();
  void flush();
  void discard() noexcept;

  std::filesystem::path target_;       // as the caller named it
  std::filesystem::path destination_;  // with symbolic links resolved
  std::filesystem::path temporary_;    // empty when the target is written directly
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace trisweep
