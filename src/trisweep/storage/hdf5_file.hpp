#pragma once
// HDF5 files of named numbers, texts and lists, with checksums over all of them: the container of all that is
// saved. One process writes a file, any number read it.

#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trisweep/core/output_file.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::storage {

// HDF5's hid_t in every version since 1.10; HDF5's headers stay out of ours.
using Hdf5Number = std::int64_t;

class Hdf5Handle {
 public:
  using Close = int (*)(Hdf5Number);

  Hdf5Handle() = default;
  Hdf5Handle(Hdf5Number id, Close end) : id_(id), close_(end) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  Hdf5Number id() const { return id_; }
  bool is_valid() const { return id_ >= 0; }
  // False if not everything that was written has reached the file.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  Hdf5Number id_ = -1;
  Close close_ = nullptr;
};

// During its lifetime its thread alone may call HDF5, which serves one thread at a time, and HDF5 prints no
// errors.
class Hdf5Turn {
 public:
  Hdf5Turn();
  ~Hdf5Turn();
  Hdf5Turn(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(const Hdf5Turn&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  void* data_ = nullptr;
  int (*print_)(Hdf5Number, void*) = nullptr;
};

// The kind of a file, which every file states.
struct FileFormat {
  const char* name;
  int version;
  const char* remedy;  // how to make such a file
};

// V: Index, Offset, double, std::byte. Errors are Error(environment) and name the file's target. Must not
// live while its thread waits for other ranks, because other threads wait for HDF5 meanwhile.
//
// The file is in memory until commit(), so that HDF5 never writes to a disk: after a failed write (a full
// disk), HDF5 1.10 ends the program.
class Hdf5Writer {
 public:
  Hdf5Writer(OutputFile& file, const FileFormat& format);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void number(const char* name, double value);
  void text(const char* name, const std::string& value);
  // A list of `size` values, which are appended in any number of parts.
  template <class V>
  void make_list(const char* name, Offset size);
  template <class V>
  void append(const char* name, std::span<const V> values);
  template <class V>
  void list(const char* name, std::span<const V> values) {
    make_list<V>(name, static_cast<Offset>(values.size()));
    append(name, values);
  }
  // Writes the file, which then appears.
  void commit();

 private:
  struct List {
    Hdf5Handle set;
    Offset filled = 0;
  };
  Hdf5Handle checked(Hdf5Handle handle) const;
  void check(int status) const;
  void attribute(const char* name, Hdf5Number type, const void* value);

  Hdf5Turn turn_;
  OutputFile& output_;
  void* image_ = nullptr;  // of the file, by malloc()
  Hdf5Handle file_;
  std::map<std::string, List> lists_;
};

// Errors are InputError and name the file: it cannot be opened, is damaged or cut short, is of another format
// or version, or lacks something.
class Hdf5Reader {
 public:
  Hdf5Reader(std::filesystem::path file, const FileFormat& format);

  double number(const char* name) const;
  std::string text(const char* name) const;
  Offset size(const char* name) const;
  template <class V>
  void read(const char* name, Offset first, std::span<V> values) const;
  template <class V>
  std::vector<V> list(const char* name) const {
    std::vector<V> values(usize(size(name)));
    read(name, 0, std::span<V>(values));
    return values;
  }

  [[noreturn]] void refuse(const std::string& what) const;

  // Whether `file` is not an HDF5 file, or states another format. (False for damaged files.)
  static bool is_of_another(const std::filesystem::path& file, const FileFormat& format);

 private:
  struct AnyFormat {};
  Hdf5Reader(std::filesystem::path file, const FileFormat& format, AnyFormat);
  [[noreturn]] void refuse_damaged() const;
  const Hdf5Handle& list_of(const char* name) const;
  Hdf5Handle opened(Hdf5Number id, Hdf5Handle::Close close) const;
  void require_format() const;

  Hdf5Turn turn_;
  std::filesystem::path path_;
  FileFormat format_;
  Hdf5Handle file_;
  mutable std::map<std::string, Hdf5Handle> lists_;  // left open: HDF5 caches what was read last of each
};

// For folders of HDF5 files, an index and numbered parts ("panels-7.h5" of the kind "panels"): the name of a
// file that is neither, or of any file if the index is missing or of another format; empty when there is
// none. Throws Error(environment) when the folder cannot be read.
inline constexpr const char* index_of_folder = "index.h5";
std::string foreign_file(const std::filesystem::path& folder, const FileFormat& index,
                         std::initializer_list<const char*> kinds);

// For programs that use HDF5 only through this header; to be called before anything else here. After a
// damaged file, HDF5 1.10 prints errors of its own while cleaning up at exit; there is nothing to clean up.
void leave_hdf5_alone_at_exit();

}  // namespace trisweep::storage
