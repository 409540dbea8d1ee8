#pragma once
// Values as named fields of a file: one list of visit(name, field) serves writing and reading.

#include <span>
#include <string>
#include <vector>

#include "trisweep/storage/hdf5_file.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::storage {

template <class Visit, class Structure>
void for_each_field_of_structure(const Visit& visit, Structure& s) {
  visit("rows", s.n);
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

struct FieldWriter {
  Hdf5Writer& file;

  void operator()(const char* name, const std::string& text) const { file.text(name, text); }
  template <class V>
  void operator()(const char* name, const V& value) const {
    file.number(name, static_cast<double>(value));
  }
  template <class V>
  void operator()(const char* name, const std::vector<V>& list) const {
    file.list<V>(name, list);
  }
  void operator()(const char* name, const std::vector<char>& list) const {
    file.list(name, std::as_bytes(std::span(list)));
  }
  void operator()(const char* name, const std::vector<symbolic::Block>& blocks) const {
    std::vector<Index> list;
    for (const symbolic::Block& b : blocks) list.insert(list.end(), {b.row_supernode, b.begin, b.end});
    file.list<Index>(name, list);
  }
};

struct FieldReader {
  const Hdf5Reader& file;

  void operator()(const char* name, std::string& text) const { text = file.text(name); }
  template <class V>
  void operator()(const char* name, V& value) const {
    value = static_cast<V>(file.number(name));
  }
  template <class V>
  void operator()(const char* name, std::vector<V>& list) const {
    list = file.list<V>(name);
  }
  void operator()(const char* name, std::vector<char>& list) const {
    list.resize(usize(file.size(name)));
    file.read(name, 0, std::as_writable_bytes(std::span(list)));
  }
  void operator()(const char* name, std::vector<symbolic::Block>& blocks) const {
    const auto list = file.list<Index>(name);
    for (std::size_t at = 0; at + 3 <= list.size(); at += 3)
      blocks.push_back({list[at], list[at + 1], list[at + 2]});
  }
};

}  // namespace trisweep::storage
