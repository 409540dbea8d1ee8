#pragma once
// GPUs of this process that work together, each on its PEs, and reach each other's memory. For files that
// nvcc or hipcc compiles.

#include <deque>
#include <string>
#include <vector>

#include "trisweep/device/gpu_runtime.hpp"

namespace trisweep::device {

class GpuTeam {
 public:
  // Throws Error(environment) where a device does not reach another's memory.
  explicit GpuTeam(const std::vector<int>& devices) {
    for (const int from : devices) {
      const CurrentDevice current(from);
      for (const int to : devices) {
        if (from != to) let_reach(from, to);
      }
      member_.emplace_back(from);
    }
  }

  std::size_t size() const { return member_.size(); }
  int device(std::size_t i) const { return member_[i].device; }
  // Whose PE p is.
  std::size_t part_of(Index p) const { return usize(p) % size(); }

  // Calls work(i) for each, its device being the current one.
  template <class Work>
  void each(const Work& work) const {
    for (std::size_t i = 0; i < size(); ++i) {
      const CurrentDevice current(device(i));
      work(i);
    }
  }

  // Calls start(i, its stream) for each: devices start together, after what is before in the caller's stream,
  // of the first of them, and what comes there waits for all.
  template <class Start>
  void run(Stream stream, const Start& start) const {
    if (size() > 1) check(TRISWEEP_GPU(EventRecord)(member_[0].done.get(), stream), "an event");
    each([&](std::size_t i) {
      const Stream here = i == 0 ? stream : member_[i].stream.get();
      if (i > 0) check(TRISWEEP_GPU(StreamWaitEvent)(here, member_[0].done.get(), 0), "waiting for a stream");
      start(i, here);
      if (i > 0) check(TRISWEEP_GPU(EventRecord)(member_[i].done.get(), here), "an event");
    });
    for (std::size_t i = 1; i < size(); ++i)
      check(TRISWEEP_GPU(StreamWaitEvent)(stream, member_[i].done.get(), 0), "waiting for a stream");
  }

 private:
  struct Member {
    explicit Member(int number) : device(number) {}
    int device;
    GpuStream stream;
    GpuEvent done;
  };

  // From the current device.
  static void let_reach(int from, int to) {
    int can = 0;
    check(TRISWEEP_GPU(DeviceCanAccessPeer)(&can, from, to), "asking the device");
    if (can == 0)
      throw Error(ErrorKind::environment,
                  "GPU " + std::to_string(from) + " does not reach the memory of GPU " + std::to_string(to),
                  "use one of them");
    const auto code = TRISWEEP_GPU(DeviceEnablePeerAccess)(to, 0);
    static_cast<void>(TRISWEEP_GPU(GetLastError)());
    if (code != TRISWEEP_GPU(ErrorPeerAccessAlreadyEnabled)) check(code, "reaching another device");
  }

  std::deque<Member> member_;
};

}  // namespace trisweep::device
