// Saved analyses in our format against HDF5 files with the same fields.
//   own_saved_analysis FILE [ROUNDS]    FILE: of trisweep predict --save-analysis

#include "trisweep/model/saved_analysis.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "compare.hpp"

namespace {

namespace fs = std::filesystem;
using trisweep::Index;
using trisweep::Offset;
using trisweep::model::SavedAnalysis;
using trisweep::symbolic::Structure;

hid_t good(hid_t id) {
  if (id < 0) throw std::runtime_error("HDF5 fails");
  return id;
}

struct Handle {
  Handle(hid_t number, herr_t (*end)(hid_t)) : id(good(number)), close(end) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(id); }
  hid_t id;
  herr_t (*close)(hid_t);
};

template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, Offset>) return H5T_NATIVE_INT64;
  if constexpr (sizeof(T) == 1) return H5T_NATIVE_CHAR;
  return H5T_NATIVE_INT32;
}

enum class Storage { plain, checked, compressed };

// One dataset for each field; lists of blocks and pairs are lists of their numbers.
class Writer {
 public:
  Writer(hid_t file, Storage storage) : file_(file), storage_(storage) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    put(name, &value, 1, type_of<T>());
  }
  template <class T>
  void operator()(const char* name, const std::vector<T>& list) {
    put(name, list.data(), list.size(), type_of<T>());
  }
  void operator()(const char* name, const std::vector<trisweep::symbolic::Block>& list) {
    put(name, list.data(), 3 * list.size(), H5T_NATIVE_INT32);
  }
  void operator()(const char* name, const std::string& text) {
    put(name, text.data(), text.size(), H5T_NATIVE_CHAR);
  }

 private:
  void put(const char* name, const void* data, hsize_t size, hid_t type) {
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (storage_ != Storage::plain && size > 0) {
      const hsize_t chunk = std::min<hsize_t>(size, 1 << 16);
      good(H5Pset_chunk(properties.id, 1, &chunk));
      if (storage_ == Storage::compressed) good(H5Pset_deflate(properties.id, 1));
      good(H5Pset_fletcher32(properties.id));
    }
    const Handle set(H5Dcreate2(file_, name, type, space.id, H5P_DEFAULT, properties.id, H5P_DEFAULT),
                     H5Dclose);
    if (size > 0) good(H5Dwrite(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  }

  hid_t file_;
  Storage storage_;
};

class Reader {
 public:
  explicit Reader(hid_t file) : file_(file) {}

  template <class T>
  void operator()(const char* name, T& value) {
    get(name, type_of<T>(), [&](hsize_t) { return &value; });
  }
  template <class T>
  void operator()(const char* name, std::vector<T>& list) {
    get(name, type_of<T>(), [&](hsize_t size) { return list.resize(size), list.data(); });
  }
  void operator()(const char* name, std::vector<trisweep::symbolic::Block>& list) {
    get(name, H5T_NATIVE_INT32, [&](hsize_t size) { return list.resize(size / 3), list.data(); });
  }
  void operator()(const char* name, std::string& text) {
    get(name, H5T_NATIVE_CHAR, [&](hsize_t size) { return text.resize(size), text.data(); });
  }

 private:
  template <class Room>
  void get(const char* name, hid_t type, const Room& room) {
    const Handle set(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(set.id), H5Sclose);
    hsize_t size = 0;
    good(H5Sget_simple_extent_dims(space.id, &size, nullptr));
    if (size > 0) good(H5Dread(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, room(size)));
  }

  hid_t file_;
};

template <class Visit, class Analysis, class Structure>
void for_each_field(Visit&& visit, Analysis& a, Structure& s) {
  visit("matrix", a.matrix);
  visit("ordering", a.ordering);
  visit("diagonal", a.diagonal);
  visit("nonzeros", a.nonzeros);
  visit("complex", a.complex);
  visit("cholesky", a.cholesky);
  visit("seconds", a.seconds);
  visit("n", s.n);
  visit("first", s.first);
  visit("supernode_of", s.supernode_of);
  visit("parent", s.parent);
  visit("row_ptr", s.row_ptr);
  visit("row", s.row);
  visit("block_ptr", s.block_ptr);
  visit("block", s.block);
  visit("whole", s.whole);
  visit("group", s.group);
  visit("tree_levels", s.tree.levels);
  visit("tree_begin", s.tree.begin);
  visit("tree_end", s.tree.end);
}

void save_hdf5(const SavedAnalysis& analysis, const std::string& path, Storage storage) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  for_each_field(Writer(file.id, storage), analysis, *analysis.structure);
}

SavedAnalysis load_hdf5(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  SavedAnalysis analysis;
  auto structure = std::make_shared<Structure>();
  for_each_field(Reader(file.id), analysis, *structure);
  analysis.structure = std::move(structure);
  return analysis;
}

void save_ours(const SavedAnalysis& analysis, const std::string& path) {
  trisweep::OutputFile file(path);
  save(analysis, file);
  file.commit();
}

struct Format {
  std::string name;
  std::function<void(const SavedAnalysis&, const std::string&)> save;
  std::function<SavedAnalysis(const std::string&)> load;
};

const std::vector<Format> formats = {
    {"ours", save_ours, trisweep::model::load_analysis},
    {"HDF5", [](auto& a, auto& path) { save_hdf5(a, path, Storage::plain); }, load_hdf5},
    {"HDF5 checked", [](auto& a, auto& path) { save_hdf5(a, path, Storage::checked); }, load_hdf5},
    {"HDF5 compressed", [](auto& a, auto& path) { save_hdf5(a, path, Storage::compressed); }, load_hdf5}};

bool refused(const Format& format, const std::string& path) {
  try {
    static_cast<void>(format.load(path));
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

// How many of 100 files with the last bytes missing, or with one bit turned over, are refused.
void try_damages(const Format& format, const std::string& path) {
  const auto size = fs::file_size(path);
  int cut = 0;
  int turned = 0;
  const std::string copy = path + ".damaged";
  for (std::uintmax_t i = 0; i < 100; ++i) {
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::resize_file(copy, size * i / 100);
    cut += refused(format, copy);
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    std::fstream file(copy, std::ios::binary | std::ios::in | std::ios::out);
    const auto at = static_cast<std::streamoff>(size * i / 100 + size / 200);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(at);
    file.put(byte);
    file.close();
    turned += refused(format, copy);
  }
  fs::remove(copy);
  fmt::print("{:16} {} bytes; refused of 100: {} cut short, {} with a bit turned over\n", format.name, size,
             cut, turned);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const SavedAnalysis analysis = trisweep::model::load_analysis(argv[1]);
  const fs::path folder = fs::temp_directory_path() / fmt::format("own-saved-analysis-{}", getpid());
  fs::create_directory(folder);
  std::vector<own::Candidate> writers;
  std::vector<own::Candidate> readers;
  for (const auto& format : formats) {
    const std::string path = folder / format.name;
    writers.push_back({format.name, [&analysis, &format, path] { format.save(analysis, path); }});
    readers.push_back({format.name, [&analysis, &format, path] {
                         if (format.load(path).structure->row != analysis.structure->row) std::abort();
                       }});
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  own::compare("write", writers, {.rounds = rounds});
  own::compare("read", readers, {.rounds = rounds});
  for (const auto& format : formats) try_damages(format, folder / format.name);
  fs::remove_all(folder);
}
