#pragma once
// Devices of this process that work together, each on its PEs, and reach each other's memory.

#include <deque>

#include "trisweep/backend/memory.hpp"

namespace trisweep::backend {

class DeviceGroup {
 public:
  // Throws Error(environment) if a device cannot access another's memory.
  DeviceGroup(Device kind, const std::vector<int>& devices) : runtime_(runtime(kind)) {
    for (const int from : devices) {
      const CurrentDevice current(runtime_, from);
      for (const int to : devices)
        if (from != to) runtime_.reach(to);
      member_.emplace_back(kind, from);
    }
  }

  std::size_t size() const { return member_.size(); }
  // Index in the group of the device that PE p is on.
  std::size_t place_of(Index p) const { return usize(p) % size(); }

  // Calls work() with the device at this index as the current one.
  template <class Work>
  void on(std::size_t place, const Work& work) const {
    const CurrentDevice current(runtime_, member_[place].device);
    work();
  }

  // Calls start(index, its stream) for each device. The devices start together, after all previous work in
  // `stream`, which belongs to the first device; later work in `stream` waits for all devices.
  template <class Start>
  void run(void* stream, const Start& start) const {
    if (size() > 1) member_.front().done.record(stream);
    for (std::size_t i = 0; i < size(); ++i)
      on(i, [&] {
        void* const here = i == 0 ? stream : member_[i].stream.get();
        if (i > 0) member_.front().done.wait_in(here);
        start(i, here);
        if (i > 0) member_[i].done.record(here);
      });
    for (std::size_t i = 1; i < size(); ++i) member_[i].done.wait_in(stream);
  }

 private:
  struct Member {
    Member(Device kind, int number) : device(number), stream(kind), done(kind) {}
    int device;
    Stream stream;
    Event done;
  };

  const Runtime& runtime_;
  std::deque<Member> member_;
};

}  // namespace trisweep::backend
