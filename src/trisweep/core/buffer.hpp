#pragma once
// An owning, uninitialized, cache-line aligned array for factor panels and work vectors. Large buffers ask
// the kernel for huge pages: the sweeps are bound by memory bandwidth, and 4 KiB pages cost a third of it.
// 256 bytes of zeros follow the last element: a kernel may load whole SIMD vectors beyond the end.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include "trisweep/core/types.hpp"

namespace trisweep {

// Allocates `bytes` aligned to a cache line (when large, to a huge page), to be freed by std::free(). Throws
// Error(environment) naming the size and `what` if there is not enough memory.
void* allocate_aligned(std::size_t bytes, const char* what);
// The same, to be freed by free_temporary() with the same `bytes`: large memory is mapped and returns to the
// system. (MPI libraries may have told malloc to keep all freed memory.)
void* allocate_temporary(std::size_t bytes, const char* what);
void free_temporary(void* memory, std::size_t bytes);

// Returns the whole pages within the `bytes` from `begin` on to the system: their content is lost, the
// addresses stay.
void discard_pages(void* begin, std::size_t bytes);

// `temporary`: freed while other buffers stay, as contribution blocks are. `kept` is faster to allocate.
enum class BufferUse { kept, temporary };

template <class T>
class Buffer {
 public:
  Buffer() = default;
  // `what` names the content in the error message, such as "the factors".
  Buffer(std::size_t size, const char* what, BufferUse use = BufferUse::kept) : size_(size) {
    if (size == 0) return;
    const std::size_t bytes = size * sizeof(T);
    const bool temporary = use == BufferUse::temporary;
    void* const memory = temporary ? allocate_temporary(bytes, what) : allocate_aligned(bytes, what);
    data_ = {static_cast<T*>(memory), Free{temporary ? bytes : 0}};
  }

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
    std::size_t bytes = 0;  // of temporary memory
    void operator()(T* p) const { bytes > 0 ? free_temporary(p, bytes) : std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

// The pages are taken from the system here, not when the buffer is first used.
template <class T>
Buffer<T> zeros(std::size_t size, const char* what) {
  Buffer<T> buffer(size, what);
  std::fill_n(buffer.data(), size, T{});
  return buffer;
}

}  // namespace trisweep
