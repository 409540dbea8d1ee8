#pragma once
// Files and folders that appear whole or not at all. Programs open their outputs before long work starts, so
// that a wrong path is an error at once and not after hours; a reader never sees half of one.
//
// A process that is killed leaves its temporary files and folders, whose names end in .part. The next output
// of this machine to the same folder removes the files, and the next to the same target a folder.

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

// Files go to the folder temporary() beside `target`, by whichever processes see it, and commit() renames it.
// Destroyed without commit(), it leaves no trace. An older `target` is replaced when it is empty or has
// nothing but files of its kind. Symbolic links are followed. Failures are those of OutputFile.
class OutputFolder {
 public:
  // The name of a file in a folder that is not of the kind to be written; empty when there is none.
  using ForeignFile = std::string (*)(const std::filesystem::path& folder);

  // Fails early: the target is a file or has a foreign one, or its parent folder cannot be written.
  OutputFolder(const std::filesystem::path& target, ForeignFile foreign_file);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  const std::filesystem::path& temporary() const { return temporary_; }

  // Makes the folder appear. Once.
  void commit();

 private:
  std::filesystem::path target_, destination_, temporary_;  // as of OutputFile
};

}  // namespace trisweep
