#include "trisweep/core/output_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

constexpr std::size_t buffer_limit = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::filesystem::path& target, const std::string& why,
                         const std::string& remedy) {
  throw Error(ErrorKind::environment, fmt::format("cannot write {}: {}", target.string(), why), remedy);
}

[[noreturn]] void fail_with_errno(const std::filesystem::path& target, int code) {
  const bool full = code == ENOSPC || code == EDQUOT;
  refuse(target, std::strerror(code),
         code == EFBIG ? "raise the limit on the size of files (ulimit -f)"
         : full        ? "free disk space, or choose another place"
                       : "choose a place that exists and that you may write to");
}

// The standard streams under their file names, even when they are redirected to a regular file: the shell
// holds that file open, and replacing it by a rename would lose what else is printed there.
bool is_stream(const std::filesystem::path& target) {
  const auto folder = target.lexically_normal().parent_path();
  return folder == "/dev" || folder == "/dev/fd" || folder == "/proc/self/fd";
}

// The file descriptor of this process that `target` names; -1 if it names none.
int stream_of(const std::filesystem::path& target) {
  const auto path = target.lexically_normal();
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const auto folder = path.parent_path();
  if (folder != "/dev/fd" && folder != "/proc/self/fd") return -1;
  const std::string name = path.filename();
  int number = -1;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  return read.ptr == name.data() + name.size() ? number : -1;
}

// `target` with symbolic links resolved.
std::filesystem::path resolved(const std::filesystem::path& target) {
  std::error_code unresolved;
  auto destination = std::filesystem::weakly_canonical(target, unresolved);
  if (unresolved) fail_with_errno(target, unresolved.value());
  return destination;
}

// Removes the folder and its content. (Even with an error code, the standard library throws when out of
// memory.)
void remove_if_possible(const std::filesystem::path& folder) noexcept {
  try {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  } catch (const std::bad_alloc&) {
  }
}

// Identifies where process ids mean what they mean here: this boot of the machine, this container (PID
// namespace). Empty if unknown.
std::string process_space() {
  std::string start;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> start;
  std::error_code unknown;
  const auto numbers = std::filesystem::read_symlink("/proc/self/ns/pid", unknown);
  if (start.empty() || unknown) return {};
  return fmt::format("{:08x}",
                     static_cast<std::uint32_t>(std::hash<std::string>()(start + numbers.string())));
}

std::string temporary_name(const std::string& prefix, int attempt) {
  return fmt::format("{}{}-{}.part", prefix, ::getpid(), attempt);
}

bool has_ended(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

// Removes what killed processes left in `folder` under names with `prefix`. (The standard library's directory
// iterator ends the program when out of memory.)
void remove_abandoned(const std::filesystem::path& folder, const std::string& prefix) {
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.empty() ? "." : folder.c_str()), close);
  while (const dirent* const entry = opened ? ::readdir(opened.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix) || !name.ends_with(".part")) continue;
    pid_t process = 0;
    const auto number = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), process);
    if (number.ec == std::errc() && process > 0 && *number.ptr == '-' && has_ended(process))
      remove_if_possible(folder / name);
  }
}

// Prefix of the temporary names of this process in `folder`; first removes what ended processes left there.
std::string prepared_prefix(const std::filesystem::path& folder, const std::string& stem) {
  const std::string space = process_space();
  std::string prefix = fmt::format("{}{}-", stem, space);
  const bool is_temporary = folder.extension() == ".part";
  if (!space.empty() && !is_temporary) remove_abandoned(folder, prefix);
  return prefix;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& target) : target_(target) {
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_with_errno(target, errno);
  if ((exists && S_ISDIR(status.st_mode)) || !target.has_filename()) {
    refuse(target, "it is a folder", "name a file");
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) fail_with_errno(target, errno);
  if (is_stream(target) || (exists && !S_ISREG(status.st_mode))) {
    open_direct();
    return;
  }
  open_temporary();
  // Best effort: without it the new file merely has the default permissions.
  if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(std::move(other.target_)),
      destination_(std::move(other.destination_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::exchange(other.buffer_, {})) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this != &other) {
    discard();
    target_ = std::move(other.target_);
    destination_ = std::move(other.destination_);
    temporary_ = std::exchange(other.temporary_, {});
    descriptor_ = std::exchange(other.descriptor_, -1);
    buffer_ = std::exchange(other.buffer_, {});
  }
  return *this;
}

// Everything else printed to a stream of this process shares its file position. So the descriptor is
// duplicated: a newly opened one would have a position of its own.
void OutputFile::open_direct() {
  const int stream = stream_of(target_);
  descriptor_ = stream >= 0 ? ::fcntl(stream, F_DUPFD_CLOEXEC, 0)
                            : ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail_with_errno(target_, errno);
}

void OutputFile::open_temporary() {
  destination_ = resolved(target_);
  // A short name of its own, so that the longest legal target name still works.
  const std::string prefix = prepared_prefix(destination_.parent_path(), ".trisweep-");
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    const auto candidate = destination_.parent_path() / temporary_name(prefix, attempt);
    descriptor_ = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = candidate;
    } else if (errno != EEXIST) {
      fail_with_errno(target_, errno);
    }
  }
}

void OutputFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= buffer_limit) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const auto written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) fail_with_errno(target_, errno);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  // Network file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_with_errno(target_, errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) fail_with_errno(target_, errno);
  temporary_.clear();
}

void OutputFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

OutputFolder::OutputFolder(const std::filesystem::path& target, ForeignFile foreign_file)
    : target_(target), destination_(resolved(target.has_filename() ? target : target.parent_path())) {
  struct stat status {};
  if (::stat(destination_.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) refuse(target, "it is a file", "name a folder");
    if (const std::string foreign = foreign_file(destination_); !foreign.empty())
      refuse(target, fmt::format("it has {}, which would be lost", foreign),
             "name a new folder, or move that away");
  }
  const std::string prefix =
      prepared_prefix(destination_.parent_path(), destination_.filename().string() + ".");
  for (int attempt = 0; temporary_.empty(); ++attempt) {
    const auto candidate = destination_.parent_path() / temporary_name(prefix, attempt);
    if (::mkdir(candidate.c_str(), 0777) == 0) {
      temporary_ = candidate;
    } else if (errno != EEXIST) {
      fail_with_errno(target, errno);
    }
  }
}

OutputFolder::~OutputFolder() {
  if (!temporary_.empty()) remove_if_possible(temporary_);
}

void OutputFolder::commit() {
  auto older = temporary_;
  older += ".older";
  const bool replaces = std::filesystem::exists(destination_);
  remove_if_possible(older);  // left by this process if it could not be removed before
  if (replaces && ::rename(destination_.c_str(), older.c_str()) != 0) fail_with_errno(target_, errno);
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    const int code = errno;
    if (replaces) static_cast<void>(::rename(older.c_str(), destination_.c_str()));
    fail_with_errno(target_, code);
  }
  temporary_.clear();
  if (replaces) remove_if_possible(older);
}

}  // namespace trisweep
