#pragma once
// One of the library's transports, with what messages cost the ranks at their ends: SimGrid knows only what
// they cost on their way.

#include <simgrid/s4u/Actor.hpp>
#include <utility>

#include "job.hpp"
#include "trisweep/engine/plan_traffic.hpp"
#include "trisweep/model/wire.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::simgrid {

class PricedTransport final : public transport::Transport {
 public:
  PricedTransport(std::unique_ptr<transport::Transport> inner, const Job& job, Index rank)
      : inner_(std::move(inner)),
        machine_(job.machine),
        wire_(job.machine, job.network(), static_cast<Index>(job.plans.size())),
        plan_(job.plans[usize(rank)].plan),
        rank_(rank) {}

  Offset messages() const { return messages_; }

  void open_phase(Index phase) override {
    exchange_ = std::get_if<plan::ExchangePhase>(&plan_.phase[usize(phase)]);
    inner_->open_phase(phase);
  }
  void send(Index to, int tag, const void* data, std::size_t bytes) override {
    ++messages_;
    if (exchange_ != nullptr) spend(machine_.copying_seconds(double(bytes)));
    spend(wire_.link(rank_, to).send_overhead);
    inner_->send(to, tag, data, bytes);
  }
  std::optional<transport::Arrival> poll() override { return inner_->poll(); }
  std::optional<transport::Arrival> poll(Index from, int tag) override { return inner_->poll(from, tag); }
  void receive(transport::Arrival& arrival, void* data, std::size_t bytes) override {
    inner_->receive(arrival, data, bytes);
    spend(wire_.link(arrival.from, rank_).receive_overhead + machine_.copying_seconds(double(bytes)) +
          (is_added(arrival) ? machine_.adding_seconds(double(bytes)) : 0));
  }
  void close_phase(transport::Patience& patience) override { inner_->close_phase(patience); }
  void close_solve(transport::Patience& patience) override { inner_->close_solve(patience); }

 private:
  static void spend(double seconds) { ::simgrid::s4u::this_actor::sleep_for(seconds); }

  bool is_added(const transport::Arrival& arrival) const {
    if (exchange_ == nullptr) return engine::what_is(arrival.tag).kind == plan::MessageKind::reduction;
    return std::any_of(exchange_->step.begin(), exchange_->step.end(), [&](const plan::ExchangeStep& step) {
      return step.transfer == plan::Transfer::receive_add && step.rank == arrival.from &&
             step.ordinal == arrival.tag;
    });
  }

  std::unique_ptr<transport::Transport> inner_;
  const model::Machine& machine_;
  model::Wire wire_;
  const plan::Plan& plan_;
  Index rank_;
  const plan::ExchangePhase* exchange_ = nullptr;  // the open phase, if it is one
  Offset messages_ = 0;
};

}  // namespace trisweep::simgrid
