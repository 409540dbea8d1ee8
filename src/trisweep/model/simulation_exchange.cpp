#include "trisweep/model/simulation.hpp"

namespace trisweep::model {

Flight Simulation::message(Index r, const plan::ExchangeStep& of, std::int32_t s) {
  return {.departed = 0,
          .from = r,
          .to = of.rank.value(),
          .phase = state(r).phase,
          .number = number_at_receiver(r, of.number),
          .subject = state(r).exchanged[of.rank]++,
          .rows = static_cast<Index>(of.rows),
          .step = s,
          .kind = MessageKind::exchange};
}

Flight Simulation::message(Index r, const VectorPhase& vectors, Index number, std::int32_t s) {
  const plan::VectorMessage& sent = vectors.sent[usize(number)];
  return {.departed = 0,
          .from = r,
          .to = sent.rank.value(),
          .phase = state(r).phase,
          .number = number_at_receiver(r, number),
          .subject = 0,
          .rows = static_cast<Index>(sent.row.size()),
          .step = s,
          .kind = MessageKind::vectors};
}

std::optional<Flight> Simulation::take_numbered(Index r, Index number) {
  const std::int32_t place =
      flights_.extract(state(r).inbox, [&](const Flight& f) { return f.number == number; });
  if (place == none) return std::nullopt;
  const Flight flight = flights_[place];
  flights_.remove(place);
  return flight;
}

bool Simulation::take(Index r, const ExchangePhase& exchange, std::int32_t previous, double now) {
  RankState& rank = state(r);
  const plan::ExchangeStep& of = exchange.step[exchange.step.size() - rank.expected];
  const double copying = copying_seconds(of.rows);
  if (of.transfer == plan::Transfer::send) {
    --rank.expected;
    const std::int32_t s = begin_step(r, Activity::exchange, Wait::task, previous, now);
    now += copying;
    send(message(r, of, s), now);
    end_step(s, true, now);
    return true;
  }
  const std::optional<Flight> f = take_numbered(r, of.number);
  if (!f) return false;
  const std::int32_t s = begin_receive(*f, Activity::exchange, previous, now);
  const bool adds = of.transfer == plan::Transfer::receive_add;
  end_step(s, true,
           now + wire_.link(f->from, r).receive_overhead + copying + (adds ? adding_seconds(of.rows) : 0));
  return true;
}

// First the rows sent, then those that stay, then those received, as in the executor. Threads share the rows
// at the caller's end.
bool Simulation::take(Index r, const VectorPhase& vectors, std::int32_t previous, double now) {
  RankState& rank = state(r);
  const bool in = vectors.way == plan::VectorWay::in;
  const double at_caller = 1.0 / machine_.workers;
  const std::size_t done = vectors.sent.size() + 1 + vectors.received.size() - rank.expected;
  if (done <= vectors.sent.size()) {
    --rank.expected;
    const std::int32_t s = begin_step(r, Activity::vectors, Wait::task, previous, now);
    if (done < vectors.sent.size()) {
      now += copying_seconds(std::ssize(vectors.sent[done].row)) * (in ? at_caller : 1);
      send(message(r, vectors, static_cast<Index>(done), s), now);
    } else {
      now += copying_seconds(std::ssize(vectors.caller)) * at_caller;
    }
    end_step(s, true, now);
    return true;
  }
  const std::optional<Flight> f = take_numbered(r, static_cast<Index>(done - vectors.sent.size() - 1));
  if (!f) return false;
  const std::int32_t s = begin_receive(*f, Activity::vectors, previous, now);
  end_step(s, true,
           now + wire_.link(f->from, r).receive_overhead + copying_seconds(f->rows) * (in ? 1 : at_caller));
  return true;
}

}  // namespace trisweep::model
