#pragma once
// Owners of a device's memory, streams and events, and copies. All throw Error(environment), with the
// device's own error message, when a call to the device fails.

#include <algorithm>
#include <memory>
#include <utility>

#include "trisweep/backend/device.hpp"
#include "trisweep/core/vectors.hpp"

namespace trisweep::backend {

// Copies `count` values from `from` to `to`, in memories of the host or of devices, in a `stream` (null: the
// default one), and waits for it.
template <class T>
void copy(Device device, T* to, const std::type_identity_t<T>* from, std::size_t count,
          void* stream = nullptr) {
  if (count == 0) return;
  const std::size_t bytes = count * sizeof(T);
  runtime(device).copy(to, bytes, from, bytes, bytes, 1, stream);
  runtime(device).wait(stream);
}
// Copies the columns of `from` to `to`, which has as many rows, in a `stream` (null: the default one),
// without waiting.
template <class T>
void copy_columns(Device device, Vectors<T> to, Vectors<const std::type_identity_t<T>> from, void* stream) {
  if (to.rows > 0)
    runtime(device).copy(to.data, usize(to.ld) * sizeof(T), from.data, usize(from.ld) * sizeof(T),
                         usize(to.rows) * sizeof(T), usize(to.cols), stream);
}

// Memory of the device that is current at construction. Throws Error(environment) if there is not enough.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // `size` values for that `use`, zeroed, also for streams that do not wait for the usual one.
  DeviceArray(Device device, std::size_t size, MemoryUse use = MemoryUse::own) requires(!std::is_const_v<T>)
      : DeviceArray(size, device, use) {
    if (size == 0) return;
    if (use == MemoryUse::pinned) {
      std::fill_n(data(), size, T{});
      return;
    }
    runtime(device).clear(data(), size * sizeof(T), nullptr);
    runtime(device).wait(nullptr);
  }
  // Values that kernels only read, as many entries as `values` has: a copy in a GPU's memory; on other
  // devices `values` itself, which must then outlive this object.
  DeviceArray(Device device, std::span<T> values) requires(std::is_const_v<T>) : size_(values.size()) {
    if (!is_gpu(device)) {
      data_.reset(values.data());
    } else if (size_ > 0) {
      DeviceArray<std::remove_const_t<T>> copied(size_, device, MemoryUse::own);
      copy(device, copied.data(), values.data(), size_);
      data_ = {copied.release(), Free{&runtime(device), MemoryUse::own}};
    }
  }

  // The first value, in the device's memory; null of an empty array.
  T* data() const { return data_.get(); }
  // The number of values.
  std::size_t size() const { return size_; }
  // Gives up the memory, which the caller frees by the device's runtime.
  T* release() { return data_.release(); }

 private:
  template <class>
  friend class DeviceArray;
  DeviceArray(std::size_t size, Device device, MemoryUse use)
      : data_(size == 0 ? nullptr : static_cast<T*>(runtime(device).allocate(size * sizeof(T), use)),
              Free{&runtime(device), use}),
        size_(size) {}

  struct Free {
    const Runtime* owner = nullptr;  // null: the memory is not owned
    MemoryUse use = MemoryUse::own;
    void operator()(T* memory) const {
      if (owner != nullptr) owner->release(const_cast<std::remove_const_t<T>*>(memory), use);
    }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

// A stream of the current device that does not synchronize with the default one.
class Stream {
 public:
  // Throws Error(environment) if the device cannot create one.
  explicit Stream(Device device) : stream_(runtime(device).make_stream(), {&runtime(device)}) {}
  // A cudaStream_t or hipStream_t.
  void* get() const { return stream_.get(); }

 private:
  struct Free {
    const Runtime* owner;
    void operator()(void* stream) const { owner->free_stream(stream); }
  };
  std::unique_ptr<void, Free> stream_;
};

// A point in a stream, for which other streams can wait.
class Event {
 public:
  // For the current device; throws Error(environment) if it cannot create one.
  explicit Event(Device device) : event_(runtime(device).make_event(), {&runtime(device)}) {}
  // Marks the end of the work in `stream` so far.
  void record(void* stream) const { event_.get_deleter().owner->record(event_.get(), stream); }
  // Work enqueued in `stream` from now on waits for the event.
  void wait_in(void* stream) const { event_.get_deleter().owner->wait_for(event_.get(), stream); }

 private:
  struct Free {
    const Runtime* owner;
    void operator()(void* event) const { owner->free_event(event); }
  };
  std::unique_ptr<void, Free> event_;
};

// Makes a device the current one during this object's lifetime.
class CurrentDevice {
 public:
  // `device`: a number from 0; the current device of this thread until destruction.
  CurrentDevice(const Runtime& runtime, int device) : runtime_(runtime), before_(runtime.current()) {
    runtime.take(device);
  }
  ~CurrentDevice() { runtime_.take(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  const Runtime& runtime_;
  int before_;
};

// b and x as a kernel accesses them: for a GPU's kernel, copies of those that are in host memory; otherwise
// the vectors themselves.
template <Scalar T>
class VectorCopies {
 public:
  // For at most `rows` rows and `nrhs` right-hand sides.
  VectorCopies(Device device, Index rows, Index nrhs)
      : device_(device),
        b_(device, is_gpu(device) ? usize(rows) * usize(nrhs) : 0),
        x_(device, b_.size()),
        x_on_host_(device, b_.size(), MemoryUse::pinned) {}

  // Returns b and x, of equally many rows and columns, for a kernel in `stream`. If b is in host memory,
  // enqueues its copy to the device; does not wait.
  std::pair<Vectors<const T>, Vectors<T>> bring_in(Vectors<const T> b, Vectors<T> x, void* stream) const {
    if (is_copied(b.space)) {
      const Vectors<T> copied(b_.data(), b.rows, b.cols);
      copy_columns(device_, copied, b, stream);
      b = copied;
    }
    if (is_copied(x.space)) x = {x_.data(), x.rows, x.cols};
    return {b, x};
  }
  // Enqueues the copy of the columns x of bring_in() to pinned memory, after the work in `stream`; does not
  // wait.
  void bring_out(Vectors<T> x, void* stream) const {
    if (is_copied(x.space))
      copy_columns(device_, Vectors<T>(x_on_host_.data(), x.rows, x.cols),
                   Vectors<const T>(x_.data(), x.rows, x.cols), stream);
  }
  // Copies the result of bring_out() to the columns of the caller's x. The stream must have completed it.
  void hand_out(Vectors<T> x) const {
    if (!is_copied(x.space)) return;
    for (Index c = 0; c < x.cols; ++c)
      std::copy_n(x_on_host_.data() + usize(c) * usize(x.rows), usize(x.rows), x.column(c));
  }

 private:
  bool is_copied(MemorySpace space) const { return is_gpu(device_) && space == MemorySpace::host; }

  Device device_;
  DeviceArray<T> b_, x_, x_on_host_;
};

}  // namespace trisweep::backend
