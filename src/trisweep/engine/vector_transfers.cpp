#include "trisweep/engine/vector_transfers.hpp"

#include <fmt/format.h>

#include <utility>

namespace trisweep::engine {
namespace {

Offset packed_rows(const plan::VectorPhase& phase) {
  Offset rows = 0;
  for (const auto* list : {&phase.sent, &phase.received})
    for (const plan::VectorMessage& m : *list) rows += std::ssize(m.row);
  return rows;
}

}  // namespace

template <Scalar T>
void VectorTransfers<T>::reserve(const plan::Plan& plan, Index nrhs) {
  for (const plan::Phase& phase : plan.phase) {
    const auto* vectors = std::get_if<plan::VectorPhase>(&phase);
    if (vectors == nullptr) continue;
    const std::size_t size = usize(packed_rows(*vectors)) * usize(nrhs);
    if (packed_.size() < size) packed_ = Buffer<T>(size, "the right-hand sides");
  }
}

template <Scalar T>
PhaseProfile VectorTransfers<T>::run(const plan::VectorPhase& phase, Index channel, const Run<T>& run) {
  const Span span(run.recorder, TraceKind::vectors, 0);
  constexpr std::size_t kind = plan::index_of(plan::MessageKind::vectors);
  const VectorMoves<T> moves(pool_, phase.way, run.vectors, run.work);
  PhaseProfile done;
  T* next = packed_.data();  // of this message; what was sent stays until the phase is closed
  const auto room_for = [&](const plan::VectorMessage& m) {
    const std::size_t size = m.row.size() * usize(run.work.nrhs);
    return std::span<T>(std::exchange(next, next + size), size);
  };
  run.transport.open_phase(channel);
  for (Index number = 0; number < std::ssize(phase.sent); ++number) {
    const plan::VectorMessage& message = phase.sent[usize(number)];
    const std::span<T> packed = room_for(message);
    moves.pack(message.row, packed.data());
    run.transport.send(number, packed.data(), packed.size_bytes());
    done.sent[kind] += {1, static_cast<Offset>(packed.size_bytes())};
  }
  moves.keep(phase.caller, phase.work);
  for (Index number = 0; number < std::ssize(phase.received); ++number) {
    const plan::VectorMessage& message = phase.received[usize(number)];
    const std::span<T> packed = room_for(message);
    receive(number, packed, run, [&] {
      return fmt::format("rank {} waits for rank {}'s rows of the {}", rank_, message.rank.value(),
                         phase.way == plan::VectorWay::in ? "right-hand sides" : "solutions");
    });
    moves.unpack(message.row, packed.data());
    done.received[kind] += {1, static_cast<Offset>(packed.size_bytes())};
  }
  run.transport.close_phase(run.watchdog);
  return done;
}

#define INSTANTIATE(T) template class VectorTransfers<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
