#pragma once
// Index types of different kinds that cannot be mixed up, at no cost: compiled code contains only an Index.

#include <compare>
#include <utility>
#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep {

// An index of things of one kind. `Kind` is a tag type, declared and never defined. Conversions from and to
// Index are explicit only.
template <class Kind>
class StrongIndex {
 public:
  constexpr StrongIndex() = default;
  constexpr explicit StrongIndex(Index value) : value_(value) {}

  constexpr Index value() const { return value_; }
  constexpr StrongIndex& operator++() {
    ++value_;
    return *this;
  }
  constexpr auto operator<=>(const StrongIndex&) const = default;

  // Arithmetic as of pointers: the distance of two indices, and an index plus a distance.
  friend constexpr Index operator-(StrongIndex a, StrongIndex b) { return a.value_ - b.value_; }
  friend constexpr StrongIndex operator+(StrongIndex i, Index count) { return StrongIndex(i.value_ + count); }

 private:
  Index value_ = 0;
};

// A subscript into a list that is not an IndexedVector.
template <class Kind>
constexpr std::size_t usize(StrongIndex<Kind> i) {
  return usize(i.value());
}

// A list whose entries are found by one kind of index.
template <class Key, class T>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(std::size_t size) : list_(size) {}
  IndexedVector(std::size_t size, const T& value) : list_(size, value) {}

  T& operator[](Key key) { return list_[usize(key)]; }
  const T& operator[](Key key) const { return list_[usize(key)]; }

  std::size_t size() const { return list_.size(); }
  // The key of the entry that push_back() adds next: one past the last.
  Key end_key() const { return Key(static_cast<Index>(list_.size())); }
  void push_back(T value) { list_.push_back(std::move(value)); }
  T& back() { return list_.back(); }

  auto begin() { return list_.begin(); }
  auto begin() const { return list_.begin(); }
  auto end() { return list_.end(); }
  auto end() const { return list_.end(); }

  bool operator==(const IndexedVector&) const = default;

 private:
  std::vector<T> list_;
};

}  // namespace trisweep
