#pragma once
// HDF5 files of named numbers, texts and lists, with checksums over all of them. One process writes or reads.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/hmatrix/hdf5_output.hpp"

namespace trisweep::hmatrix {

// V: Index, Offset, double, std::byte. Errors are Error(environment) and name the file's target.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(OutputFile& file);

  void number(const char* name, double value);
  void text(const char* name, const std::string& value);
  // A list of so many values, in as many parts as one likes.
  template <class V>
  void make_list(const char* name, Offset size);
  template <class V>
  void append(const char* name, std::span<const V> values);
  template <class V>
  void list(const char* name, std::span<const V> values) {
    make_list<V>(name, static_cast<Offset>(values.size()));
    append(name, values);
  }
  // The file appears.
  void commit();

 private:
  struct List {
    Hdf5Handle set;
    Offset filled = 0;
  };
  Hdf5Handle checked(Hdf5Handle handle) const;
  void check(int status) const;
  void attribute(const char* name, Hdf5Number type, const void* value);

  Hdf5Silence silence_;
  Hdf5Output output_;
  Hdf5Handle driver_, file_;
  std::map<std::string, List> lists_;
};

// Errors are InputError and name the file: it cannot be opened, is damaged or cut short, or something is not
// in it.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(std::filesystem::path file);

  bool has(const char* name) const;
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

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const;
  [[noreturn]] void refuse_damaged() const;

 private:
  Hdf5Handle opened(Hdf5Number id, Hdf5Handle::Close close) const;

  Hdf5Silence silence_;
  std::filesystem::path path_;
  Hdf5Handle file_;
};

}  // namespace trisweep::hmatrix
