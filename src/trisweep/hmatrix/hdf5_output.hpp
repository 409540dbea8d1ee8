#pragma once
// What our use of HDF5 stands on: its handles, and files that it writes through ours.

#include <utility>

#include "trisweep/core/output_file.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::hmatrix {

// hid_t is this in every version since 1.10; its headers stay out of ours.
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
  // False when what was written has not all reached the file.
  bool close();

 private:
  Hdf5Number id_ = -1;
  Close close_ = nullptr;
};

// The library prints nothing as long as one is there.
class Hdf5Silence {
 public:
  Hdf5Silence();
  ~Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  void* data_ = nullptr;
  int (*print_)(Hdf5Number, void*) = nullptr;
};

// Where a file of HDF5 goes, by a driver of ours. HDF5 1.10 ends the program when it is left after it could
// not write (a full disk), so it never hears of that: the first error is kept, and nothing is written from
// then on.
struct Hdf5Output {
  OutputFile& file;
  int error = 0;  // errno
};

// As H5FDregister() has it; and the properties with which H5Fcreate() opens that output.
Hdf5Handle output_driver();
Hdf5Handle output_access(const Hdf5Handle& driver, Hdf5Output& output);

}  // namespace trisweep::hmatrix
