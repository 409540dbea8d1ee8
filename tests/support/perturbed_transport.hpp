#pragma once
// A transport whose network is unreliable in time: messages leave late, arrive late, and overtake each other,
// at random. Nothing is lost. A message is read when it leaves: changing it before the phase is closed
// is noticed, while most transports have copied a small message at once.

#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "trisweep/mpi/transport.hpp"

namespace trisweep::testing_support {

class PerturbedTransport final : public mpi::Transport {
 public:
  PerturbedTransport(std::unique_ptr<mpi::Transport> inner, std::uint64_t seed)
      : inner_(std::move(inner)), random_(seed) {}

  void open_phase(Index phase) override {
    dawdle();
    inner_->open_phase(phase);
  }
  void send(Index number, const void* data, std::size_t bytes) override {
    dawdle();
    leaving_.push_back({number, data, bytes});
  }
  std::optional<mpi::Arrival> poll() override {
    dawdle();
    if (one_in(2)) let_leave();
    if (auto arrival = inner_->poll()) held_.push_back(*arrival);
    if (held_.empty() || one_in(2)) return std::nullopt;
    std::swap(held_[random_() % held_.size()], held_.back());
    const mpi::Arrival arrival = held_.back();
    held_.pop_back();
    return arrival;
  }
  std::optional<mpi::Arrival> poll(Index number) override {
    dawdle();
    if (one_in(2)) let_leave();
    return one_in(2) ? std::nullopt : inner_->poll(number);
  }
  void receive(mpi::Arrival& arrival, void* data, std::size_t bytes) override {
    inner_->receive(arrival, data, bytes);
  }
  void close_phase(mpi::Watchdog& watchdog) override {
    while (!leaving_.empty()) let_leave();
    inner_->close_phase(watchdog);
  }
  void close_solve(mpi::Watchdog& watchdog) override { inner_->close_solve(watchdog); }

 private:
  struct Leaving {
    Index number;
    const void* data;
    std::size_t bytes;
  };
  // Any one.
  void let_leave() {
    if (leaving_.empty()) return;
    std::swap(leaving_[random_() % leaving_.size()], leaving_.back());
    const Leaving message = leaving_.back();
    leaving_.pop_back();
    inner_->send(message.number, message.data, message.bytes);
  }

  bool one_in(unsigned n) { return random_() % n == 0; }
  // Mostly nothing, now and then some microseconds, rarely so long that others run ahead.
  void dawdle() {
    if (!one_in(16)) return;
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::microseconds(one_in(64) ? 500 : random_() % 20);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }

  std::unique_ptr<mpi::Transport> inner_;
  std::vector<Leaving> leaving_;
  std::vector<mpi::Arrival> held_;
  std::mt19937_64 random_;
};

}  // namespace trisweep::testing_support
