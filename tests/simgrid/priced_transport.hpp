#pragma once
// One of the library's transports, with what messages cost the ranks at their ends: SimGrid knows only what
// they cost on their way.

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <utility>

#include "job.hpp"
#include "trisweep/model/wire.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/plan/message_peers.hpp"

namespace trisweep::simgrid {

class PricedTransport final : public mpi::Transport {
 public:
  PricedTransport(std::unique_ptr<mpi::Transport> inner, const Job& job, Index rank)
      : inner_(std::move(inner)),
        machine_(job.machine),
        wire_(job.machine, job.network(), static_cast<Index>(job.plans.size())),
        plan_(job.plans[usize(rank)].plan),
        rank_(rank) {
    for (const plan::Phase& phase : plan_.phase)
      peers_.push_back(std::visit([](const auto& p) { return plan::peers_of(p); }, phase));
  }

  Offset messages() const { return messages_; }

  void open_phase(Index phase) override {
    phase_ = phase;
    inner_->open_phase(phase);
  }
  void send(Index number, const void* data, std::size_t bytes) override {
    ++messages_;
    if (open<plan::ExchangePhase>() != nullptr) spend(machine_.copying_seconds(double(bytes)));
    spend(wire_.link(rank_, peers_[usize(phase_)].to[usize(number)].value()).send_overhead);
    inner_->send(number, data, bytes);
  }
  std::optional<mpi::Arrival> poll() override { return inner_->poll(); }
  std::optional<mpi::Arrival> poll(Index number) override { return inner_->poll(number); }
  void receive(mpi::Arrival& arrival, void* data, std::size_t bytes) override {
    inner_->receive(arrival, data, bytes);
    spend(wire_.link(arrival.from, rank_).receive_overhead + machine_.copying_seconds(double(bytes)) +
          (is_added(arrival) ? machine_.adding_seconds(double(bytes)) : 0));
  }
  void close_phase(mpi::Watchdog& watchdog) override { inner_->close_phase(watchdog); }
  void close_solve(mpi::Watchdog& watchdog) override { inner_->close_solve(watchdog); }

 private:
  static void spend(double seconds) { ::simgrid::s4u::this_actor::sleep_for(seconds); }

  template <class Phase>
  const Phase* open() const {
    return std::get_if<Phase>(&plan_.phase[usize(phase_)]);
  }

  bool is_added(const mpi::Arrival& arrival) const {
    if (const auto* sweep = open<plan::SweepPhase>())
      return sweep->incoming[usize(arrival.number)].kind == plan::MessageKind::reduction;
    return std::ranges::any_of(open<plan::ExchangePhase>()->step, [&](const plan::ExchangeStep& step) {
      return step.transfer == plan::Transfer::receive_add && step.number == arrival.number;
    });
  }

  std::unique_ptr<mpi::Transport> inner_;
  const model::Machine& machine_;
  model::Wire wire_;
  const plan::Plan& plan_;
  std::vector<plan::MessagePeers> peers_;  // by phase
  Index rank_;
  Index phase_ = 0;  // the open one
  Offset messages_ = 0;
};

}  // namespace trisweep::simgrid
