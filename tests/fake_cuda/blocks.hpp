#pragma once
// Blocks of threads of a GPU that is not there. The threads of a block are fibers of one thread of the host,
// which goes from one to the next where they wait: at a barrier of the block or of a warp, and where a kernel
// pauses. The thread sanitizer takes each for a thread, ordered with the others by these barriers and by
// atomics alone: it finds races between lanes, warps, blocks and devices, whatever order they happened to run
// in.

#include <cstddef>
#include <cstring>

namespace fake_cuda {

inline constexpr unsigned lanes = 32;

struct Kernel {
  std::size_t argument_bytes;
  void (*run)(const void* argument);
};

struct Coordinate {
  unsigned x;
};

// A thread of a block.
class Thread {
 public:
  Coordinate thread{}, block{}, size{};

  unsigned lane() const { return thread.x % lanes; }
  void sync();
  void sync_warp();
  // The value of another lane of the warp, all of which call this.
  template <class V>
  V from_lane(V value, unsigned lane) {
    std::memcpy(exchanged(this->lane()), &value, sizeof value);
    sync_warp();
    std::memcpy(&value, exchanged(lane), sizeof value);
    ++exchanges_;
    return value;
  }

 private:
  // Where lanes leave values for one another, in two places by turns: a lane may be an exchange ahead.
  void* exchanged(unsigned lane) const;

  unsigned exchanges_ = 0;
};

// The calling thread, and the device of its block; of a kernel.
Thread& here();
int device_of_block();
// Lets others run. From anywhere.
void pause();
// Ends the program with a message when a location of which atomics of one device's scope are in use is used
// by another device. Of a kernel, else nothing.
void check_scope(const void* at, bool of_device);
// What a thread stores behind a fence, of one device's scope or of all, releases what was before the fence:
// up to its next barrier. Threads that are not of a kernel release without one.
void fence(bool of_device);
bool is_fenced(bool of_device);
// Memory that is no longer used.
void forget_scope(const void* memory, std::size_t bytes);

// Runs a block in the calling thread, one of that device.
void run_block(const Kernel& kernel, const void* argument, unsigned number, unsigned threads, int device);

}  // namespace fake_cuda
