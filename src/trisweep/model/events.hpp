#pragma once
// The events of a simulation in order of time, and its messages in flight.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trisweep/plan/plan.hpp"

namespace trisweep::model {

enum class EventKind : std::uint8_t { departure, arrival, task_end, receive_end, free };

struct Event {
  double time;
  std::uint64_t order;   // among events of the same time
  std::int32_t subject;  // departure, arrival: the flight; else the step that ends, or has ended
  Index number;          // of the task, or of the message, that ends
  EventKind kind;
  bool receiver;  // whether the worker takes messages
};

class EventQueue {
 public:
  void push(Event event) {
    event.order = pushed_++;
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event event = heap_.back();
    heap_.pop_back();
    return event;
  }
  std::size_t pushed() const { return pushed_; }

 private:
  static bool later(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
  std::vector<Event> heap_;
  std::uint64_t pushed_ = 0;
};

inline constexpr std::int32_t none = -1;

struct Flight {
  double departed;
  Index from;
  Index to;
  Index phase;
  Index number;   // of the message at the receiver
  Index subject;  // the supernode; in an exchange, the position among the messages to the same rank
  Index rows;
  std::int32_t step;         // the step that sent it
  std::int32_t next = none;  // the next flight of its list
  plan::MessageKind kind;
};

// Flights in the order they were put in.
struct FlightList {
  std::int32_t first = none;
  std::int32_t last = none;
  bool empty() const { return first == none; }
};

// All flights in one array; the places of ended flights are reused.
class Flights {
 public:
  Flight& operator[](std::int32_t flight) { return flight_[usize(flight)]; }

  std::int32_t add(const Flight& flight) {
    if (unused_.empty()) {
      flight_.push_back(flight);
      return static_cast<std::int32_t>(flight_.size()) - 1;
    }
    const std::int32_t place = unused_.back();
    unused_.pop_back();
    flight_[usize(place)] = flight;
    return place;
  }
  void remove(std::int32_t flight) { unused_.push_back(flight); }

  void append(FlightList& list, std::int32_t flight) {
    flight_[usize(flight)].next = none;
    if (list.empty()) {
      list.first = flight;
    } else {
      flight_[usize(list.last)].next = flight;
    }
    list.last = flight;
  }

  // Removes the first flight for which `wanted` holds from a list and returns it; none if there is none.
  template <class Wanted>
  std::int32_t extract(FlightList& list, Wanted&& wanted) {
    std::int32_t before = none, at = list.first;
    while (at != none && !wanted(flight_[usize(at)])) {
      before = at;
      at = flight_[usize(at)].next;
    }
    if (at != none) unlink(list, before, at);
    return at;
  }

 private:
  // `before` comes before `flight` in the list; none: it is the first.
  void unlink(FlightList& list, std::int32_t before, std::int32_t flight) {
    const std::int32_t after = flight_[usize(flight)].next;
    if (before == none) {
      list.first = after;
    } else {
      flight_[usize(before)].next = after;
    }
    if (list.last == flight) list.last = before;
  }

  std::vector<Flight> flight_;
  std::vector<std::int32_t> unused_;
};

}  // namespace trisweep::model
