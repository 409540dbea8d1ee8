#pragma once
// Files and folders that appear whole or not at all. Programs open their outputs before long work starts, so
// that a wrong path is an error at once and not after hours; a reader never sees an incomplete file.
//
// A killed process leaves its temporary files and folders, whose names end in .part. The next output from
// this machine to the same folder removes such files, and the next output to the same target such folders.

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
  // Fails early if the folder is missing or not writable, or the target is a folder or write-protected.
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

// Processes write files into the folder temporary() beside `target`, and commit() renames that folder.
// Destroyed without commit(), it leaves no trace. An older `target` is replaced if it is empty or holds only
// files of the same kind. Symbolic links are followed. Errors are those of OutputFile.
class OutputFolder {
 public:
  // Returns the name of a file in `folder` that is not of the kind to be written; empty if there is none.
  using ForeignFile = std::string (*)(const std::filesystem::path& folder);

  // Fails early if the target is a file or holds a foreign file, or its parent folder is not writable.
  OutputFolder(const std::filesystem::path& target, ForeignFile foreign_file);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  const std::filesystem::path& temporary() const { return temporary_; }

  // Makes the folder appear. Once.
  void commit();

 private:
  std::filesystem::path target_, destination_, temporary_;  // as in OutputFile
};

}  // namespace trisweep
