#include "trisweep/hmatrix/hdf5_output.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstring>

#include "trisweep/hmatrix/matrix_file.hpp"

namespace trisweep::hmatrix {
namespace {

static_assert(std::same_as<hid_t, Hdf5Number> && std::same_as<herr_t, int>);

// What HDF5 knows of an open file. Its part comes first.
struct OpenOutput {
  H5FD_t common{};
  Hdf5Output* output = nullptr;
  haddr_t allocated = 0, written = 0;
};

OpenOutput& of(H5FD_t* file) {
  return *reinterpret_cast<OpenOutput*>(file);
}
const OpenOutput& of(const H5FD_t* file) {
  return *reinterpret_cast<const OpenOutput*>(file);
}

H5FD_t* open_output(const char*, unsigned, hid_t access, haddr_t) {
  auto* const opened = new (std::nothrow) OpenOutput;
  if (opened == nullptr) return nullptr;
  opened->output = *static_cast<Hdf5Output* const*>(H5Pget_driver_info(access));
  return &opened->common;
}

herr_t close_output(H5FD_t* file) {
  delete &of(file);
  return 0;
}

// transfer(at, done so far) moves some bytes; 0 or less where it cannot.
template <class Transfer>
void move_all(Hdf5Output& output, haddr_t at, std::size_t size, const Transfer& transfer) {
  for (std::size_t done = 0; done < size && output.error == 0;) {
    const ssize_t moved = transfer(static_cast<off_t>(at + done), done);
    if (moved > 0) done += static_cast<std::size_t>(moved);
    if (moved == 0) output.error = EIO;
    if (moved < 0 && errno != EINTR) output.error = errno;
  }
}

herr_t write_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
  OpenOutput& o = of(file);
  move_all(*o.output, at, size, [&](off_t place, std::size_t done) {
    return ::pwrite(o.output->file.descriptor(), static_cast<const char*>(bytes) + done, size - done, place);
  });
  o.written = std::max(o.written, at + size);
  return 0;
}

// What is behind the end is zero.
herr_t read_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* bytes) {
  OpenOutput& o = of(file);
  std::memset(bytes, 0, size);
  const std::size_t there = at < o.written ? std::min<haddr_t>(size, o.written - at) : 0;
  move_all(*o.output, at, there, [&](off_t place, std::size_t done) {
    return ::pread(o.output->file.descriptor(), static_cast<char*>(bytes) + done, there - done, place);
  });
  return 0;
}

}  // namespace

bool Hdf5Handle::close() {
  return id_ < 0 || close_(std::exchange(id_, -1)) >= 0;
}

Hdf5Silence::Hdf5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Silence::~Hdf5Silence() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

void leave_hdf5_alone_at_exit() {
  H5dont_atexit();
}

Hdf5Handle output_driver() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = H5FD_RESERVED + 1;
#endif
  driver.name = "trisweep";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Hdf5Output*);
  driver.open = open_output;
  driver.close = close_output;
  driver.query = [](const H5FD_t*, unsigned long* features) {
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return herr_t{0};
  };
  driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; };
  driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t end) {
    of(file).allocated = end;
    return herr_t{0};
  };
  driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) {
    return std::max(of(file).written, of(file).allocated);
  };
  driver.read = read_output;
  driver.write = write_output;
  return {H5FDregister(&driver), H5FDunregister};
}

Hdf5Handle output_access(const Hdf5Handle& driver, Hdf5Output& output) {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Hdf5Output* const info = &output;
  H5Pset_driver(access.id(), driver.id(), &info);
  return access;
}

}  // namespace trisweep::hmatrix
