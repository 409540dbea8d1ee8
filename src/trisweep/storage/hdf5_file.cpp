#include "trisweep/storage/hdf5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "trisweep/core/error.hpp"

namespace trisweep::storage {
namespace {

static_assert(std::same_as<hid_t, Hdf5Number> && std::same_as<herr_t, int>);

// HDF5's types of V in memory and in files, whose numbers are little-endian on every machine.
template <class V>
std::pair<hid_t, hid_t> types_of() {
  if constexpr (std::same_as<V, double>) return {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE};
  if constexpr (std::same_as<V, Offset>) return {H5T_NATIVE_INT64, H5T_STD_I64LE};
  if constexpr (std::same_as<V, Index>) return {H5T_NATIVE_INT32, H5T_STD_I32LE};
  if constexpr (std::same_as<V, std::byte>) return {H5T_NATIVE_UINT8, H5T_STD_U8LE};
}

// HDF5's message on the origin of its last failure.
std::string reason() {
  std::string text = "HDF5 does not say why";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned place, const H5E_error2_t* error, void* to) {
        if (place == 0 && error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
        return herr_t{0};
      },
      &text);
  return text;
}

// Handles that are used within one call.
struct Local : Hdf5Handle {
  using Hdf5Handle::Hdf5Handle;
  operator hid_t() const { return id(); }
};

// values [first, first + count) of a list.
Local selected(hid_t set, Offset first, std::size_t count) {
  Local space(H5Dget_space(set), H5Sclose);
  const auto begin = static_cast<hsize_t>(first), size = static_cast<hsize_t>(count);
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, nullptr, &size, nullptr) < 0 ||
      H5Sselect_valid(space) <= 0)
    return {};
  return space;
}

// Access to a file in memory that stays at *image when the file is closed; HDF5 would free it.
Hdf5Handle access_to(void** image) {
  constexpr std::size_t growth = std::size_t{1} << 24;
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5FD_file_image_callbacks_t memory{};
  memory.image_realloc = [](void* at, std::size_t size, H5FD_file_image_op_t, void* to) {
    void* const grown = std::realloc(at, size);
    return grown == nullptr ? nullptr : *static_cast<void**>(to) = grown;
  };
  memory.image_free = [](void*, H5FD_file_image_op_t, void*) { return herr_t{0}; };
  memory.udata_copy = [](void* to) { return to; };
  memory.udata_free = [](void*) { return herr_t{0}; };
  memory.udata = image;
  const bool made = H5Pset_file_image_callbacks(access.id(), &memory) >= 0 &&
                    H5Pset_fapl_core(access.id(), growth, false) >= 0 &&
                    // No unused space at the end.
                    H5Pset_meta_block_size(access.id(), 0) >= 0 &&
                    H5Pset_small_data_block_size(access.id(), 0) >= 0 &&
                    // In the newest format metadata have checksums as well.
                    H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0;
  return made ? std::move(access) : Hdf5Handle();
}

}  // namespace

Hdf5Turn::Hdf5Turn() {
  static std::recursive_mutex turn;
  lock_ = std::unique_lock(turn);
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Turn::~Hdf5Turn() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

void leave_hdf5_alone_at_exit() {
  H5dont_atexit();
}

Hdf5Writer::Hdf5Writer(OutputFile& file, const FileFormat& format) : output_(file) {
  const Hdf5Handle access = checked(access_to(&image_));
  // HDF5 distinguishes files in memory by their names.
  const std::string name = fmt::format("/trisweep/{}", fmt::ptr(this));
  file_ = checked({H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose});
  text("format", format.name);
  number("version", format.version);
}

Hdf5Writer::~Hdf5Writer() {
  lists_.clear();
  file_.close();
  std::free(image_);
}

Hdf5Handle Hdf5Writer::checked(Hdf5Handle handle) const {
  check(handle.is_valid() ? 0 : -1);
  return handle;
}

void Hdf5Writer::check(int status) const {
  if (status < 0)
    throw Error(ErrorKind::environment,
                fmt::format("cannot write {}: {}", output_.target().string(), reason()));
}

void Hdf5Writer::attribute(const char* name, Hdf5Number type, const void* value) {
  const Hdf5Handle space = checked({H5Screate(H5S_SCALAR), H5Sclose});
  const Hdf5Handle set =
      checked({H5Acreate2(file_.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose});
  check(H5Awrite(set.id(), type, value));
}

void Hdf5Writer::number(const char* name, double value) {
  attribute(name, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Writer::text(const char* name, const std::string& value) {
  const Hdf5Handle type = checked({H5Tcopy(H5T_C_S1), H5Tclose});
  check(H5Tset_size(type.id(), value.size() + 1));
  attribute(name, type.id(), value.c_str());
}

template <class V>
void Hdf5Writer::make_list(const char* name, Offset size) {
  constexpr hsize_t bytes_of_chunk = hsize_t{1} << 18;
  const auto values = static_cast<hsize_t>(size);
  const Hdf5Handle space = checked({H5Screate_simple(1, &values, nullptr), H5Sclose});
  const Hdf5Handle how = checked({H5Pcreate(H5P_DATASET_CREATE), H5Pclose});
  check(H5Pset_obj_track_times(how.id(), false));
  if (size > 0) {
    const hsize_t chunk = std::min(values, bytes_of_chunk / sizeof(V));
    check(H5Pset_chunk(how.id(), 1, &chunk));
    check(H5Pset_fletcher32(how.id()));
  }
  lists_[name].set = checked(
      {H5Dcreate2(file_.id(), name, types_of<V>().second, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT),
       H5Dclose});
}

template <class V>
void Hdf5Writer::append(const char* name, std::span<const V> values) {
  if (values.empty()) return;
  List& list = lists_[name];
  const hsize_t size = values.size();
  const Local there = selected(list.set.id(), list.filled, values.size());
  const Hdf5Handle here = checked({H5Screate_simple(1, &size, nullptr), H5Sclose});
  check(H5Dwrite(list.set.id(), types_of<V>().first, here.id(), there, H5P_DEFAULT, values.data()));
  list.filled += static_cast<Offset>(values.size());
}

void Hdf5Writer::commit() {
  for (auto& [name, list] : lists_) check(list.set.close() ? 0 : -1);
  check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL));
  const auto size = H5Fget_file_image(file_.id(), nullptr, 0);
  check(size > 0 && file_.close() ? 0 : -1);
  constexpr std::size_t at_once = std::size_t{1} << 20;
  for (std::string_view rest(static_cast<const char*>(image_), usize(size)); !rest.empty();
       rest.remove_prefix(std::min(at_once, rest.size())))
    output_.write(rest.substr(0, at_once));
  output_.commit();
}

Hdf5Reader::Hdf5Reader(std::filesystem::path file, const FileFormat& format)
    : Hdf5Reader(std::move(file), format, AnyFormat()) {
  require_format();
}

Hdf5Reader::Hdf5Reader(std::filesystem::path file, const FileFormat& format, AnyFormat)
    : path_(std::move(file)), format_(format) {
  if (std::filesystem::is_directory(path_)) refuse("it is a folder");
  if (!std::ifstream(path_)) refuse(std::strerror(errno));
  if (H5Fis_hdf5(path_.c_str()) <= 0)
    refuse(fmt::format("it is not an HDF5 file of the format '{}'", format_.name));
  file_ = opened(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
}

bool Hdf5Reader::is_of_another(const std::filesystem::path& file, const FileFormat& format) {
  const Hdf5Turn turn;
  if (H5Fis_hdf5(file.c_str()) <= 0) return true;
  try {
    return Hdf5Reader(file, format, AnyFormat()).text("format") != format.name;
  } catch (const InputError&) {
    return false;
  }
}

void Hdf5Reader::require_format() const {
  const htri_t named = H5Aexists(file_.id(), "format");
  if (named < 0) refuse_damaged();
  if (named == 0 || text("format") != format_.name)
    refuse(fmt::format("an HDF5 file, but not of the format '{}'", format_.name));
  if (number("version") != format_.version)
    refuse(fmt::format("the format '{}' of version {}, not {}", format_.name, number("version"),
                       format_.version));
}

void Hdf5Reader::refuse(const std::string& what) const {
  throw InputError(path_, 0, what, format_.remedy);
}

void Hdf5Reader::refuse_damaged() const {
  refuse(fmt::format("damaged or cut short ({})", reason()));
}

Hdf5Handle Hdf5Reader::opened(Hdf5Number id, Hdf5Handle::Close close) const {
  if (id < 0) refuse_damaged();
  return {id, close};
}

double Hdf5Reader::number(const char* name) const {
  const Hdf5Handle set = opened(H5Aopen(file_.id(), name, H5P_DEFAULT), H5Aclose);
  double value = 0;
  if (H5Aread(set.id(), H5T_NATIVE_DOUBLE, &value) < 0) refuse_damaged();
  return value;
}

std::string Hdf5Reader::text(const char* name) const {
  const Hdf5Handle set = opened(H5Aopen(file_.id(), name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type = opened(H5Aget_type(set.id()), H5Tclose);
  constexpr std::size_t longest = 10'000;
  const std::size_t size = H5Tget_size(type.id());
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0 || size > longest)
    refuse(fmt::format("'{}' is not a short string", name));
  std::vector<char> value(size + 1);
  if (H5Aread(set.id(), type.id(), value.data()) < 0) refuse_damaged();
  return value.data();
}

const Hdf5Handle& Hdf5Reader::list_of(const char* name) const {
  const auto known = lists_.find(name);
  if (known != lists_.end()) return known->second;
  return lists_.emplace(name, opened(H5Dopen2(file_.id(), name, H5P_DEFAULT), H5Dclose)).first->second;
}

Offset Hdf5Reader::size(const char* name) const {
  const Hdf5Handle space = opened(H5Dget_space(list_of(name).id()), H5Sclose);
  const hssize_t size = H5Sget_simple_extent_npoints(space.id());
  if (size < 0 || H5Sget_simple_extent_ndims(space.id()) != 1) refuse_damaged();
  return size;
}

template <class V>
void Hdf5Reader::read(const char* name, Offset first, std::span<V> values) const {
  if (values.empty()) return;
  const Hdf5Handle& set = list_of(name);
  const hsize_t size = values.size();
  const Local there = selected(set.id(), first, values.size());
  const Hdf5Handle here = opened(H5Screate_simple(1, &size, nullptr), H5Sclose);
  if (H5Dread(set.id(), types_of<V>().first, here.id(), there, H5P_DEFAULT, values.data()) < 0)
    refuse_damaged();
}

namespace {

// "kind-7.h5".
bool is_numbered(const std::string& name, const char* kind) {
  const std::string begin = fmt::format("{}-", kind);
  return name.starts_with(begin) && name.ends_with(".h5") &&
         name.find_first_not_of("0123456789", begin.size()) == name.size() - 3;
}

}  // namespace

std::string foreign_file(const std::filesystem::path& folder, const FileFormat& index,
                         std::initializer_list<const char*> kinds) {
  const std::filesystem::path index_file = folder / index_of_folder;
  const bool is_known = std::filesystem::exists(index_file) && !Hdf5Reader::is_of_another(index_file, index);
  std::error_code unreadable;
  const std::filesystem::directory_iterator entries(folder, unreadable);
  if (unreadable)
    throw Error(ErrorKind::environment,
                fmt::format("cannot read {}: {}", folder.string(), unreadable.message()),
                "choose a folder that you may read");
  for (const auto& entry : entries) {
    std::string name = entry.path().filename().string();
    const bool is_part =
        std::ranges::any_of(kinds, [&](const char* kind) { return is_numbered(name, kind); });
    if (!is_known || !(is_part || name == index_of_folder) || !entry.is_regular_file()) return name;
  }
  return {};
}

#define INSTANTIATE(V)                                               \
  template void Hdf5Writer::make_list<V>(const char*, Offset);       \
  template void Hdf5Writer::append(const char*, std::span<const V>); \
  template void Hdf5Reader::read(const char*, Offset, std::span<V>) const;
INSTANTIATE(Index)
INSTANTIATE(Offset)
INSTANTIATE(double)
INSTANTIATE(std::byte)

}  // namespace trisweep::storage
