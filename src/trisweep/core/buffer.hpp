#pragma once
// An owning, uninitialized, cache-line aligned array for factor panels and work vectors. Large buffers ask
// the kernel for huge pages: the sweeps are bound by memory bandwidth, and 4 KiB pages cost a third of it.
// Behind the last element are 256 bytes of zeros: a kernel may read whole vectors there.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "trisweep/core/types.hpp"

namespace trisweep {

// Allocates `bytes` on a cache line (on a huge page when large). Throws Error(environment) naming the size
// and `what` when memory does not suffice. For std::free().
void* allocate_aligned(std::size_t bytes, const char* what);
// The same for free_buffer(), with as many bytes: much memory is the system's own, and given back to it.
void* allocate_buffer(std::size_t bytes, const char* what);
void free_buffer(void* memory, std::size_t bytes);

template <class T>
class Buffer {
 public:
  Buffer() = default;
  // `what` names the content in the error message, such as "the factors".
  Buffer(std::size_t size, const char* what)
      : data_(size == 0 ? nullptr : static_cast<T*>(allocate_buffer(size * sizeof(T), what)),
              Free{size * sizeof(T)}),
        size_(size) {}

  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  // Empties the buffer without freeing its memory, which others (MPI) may still use.
  void release() {
    static_cast<void>(data_.release());
    size_ = 0;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    std::size_t bytes = 0;
    void operator()(T* p) const { free_buffer(p, bytes); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

// Pages are taken from the system here, not when they are first written.
template <class T>
Buffer<T> zeros(std::size_t size, const char* what) {
  Buffer<T> buffer(size, what);
  std::fill_n(buffer.data(), size, T{});
  return buffer;
}

}  // namespace trisweep
