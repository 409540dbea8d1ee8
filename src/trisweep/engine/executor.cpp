#include "trisweep/engine/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "trisweep/engine/sweep_run.hpp"

namespace trisweep::engine {
namespace {

Index widest_segment(const distribution::LocalBlocks& local_blocks) {
  Index width = 0;
  for (Index s = 0; s < local_blocks.segments(); ++s) width = std::max(width, local_blocks.width(s));
  return width;
}

// Total number of rows in the packed messages of a phase, sent and received.
Offset packed_rows(const plan::ExchangePhase& phase) {
  Offset rows = 0;
  for (const auto& step : phase.step) rows += step.rows;
  return rows;
}
Offset packed_rows(const plan::VectorPhase& phase) {
  Offset rows = 0;
  for (const auto* list : {&phase.sent, &phase.received})
    for (const plan::VectorMessage& m : *list) rows += std::ssize(m.row);
  return rows;
}
Offset packed_rows(const auto& /*sends from where it computes*/) {
  return 0;
}

TraceKind event_of(const plan::SweepPhase& phase) {
  const plan::Part part = plan::part_of(phase);
  if (part == plan::Part::diagonal) return TraceKind::diagonal;
  return part == plan::Part::forward ? TraceKind::l_sweep : TraceKind::u_sweep;
}

TraceEvent message_event(TraceKind kind, const plan::ExchangeStep& step, std::size_t bytes) {
  return {kind, 0, -1, step.rank.value(), plan::MessageKind::exchange, static_cast<Offset>(bytes), 0, 0};
}

}  // namespace

template <Scalar T>
Executor<T>::Executor(const distribution::LocalBlocks& local_blocks, distribution::PiecePositions positions,
                      const PanelStore<T>& panels, ThreadPool& pool)
    : panels_{local_blocks, std::move(positions), panels, pool}, state_(std::make_unique<SweepState<T>>()) {}

template <Scalar T>
Executor<T>::~Executor() = default;

template <Scalar T>
void Executor<T>::reserve(const plan::Plan& plan, Index nrhs) {
  state_->reserve_scratch(kernels::scratch_size(widest_segment(panels_.local_blocks), nrhs),
                          panels_.pool.size());
  for (const auto& phase : plan.phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) state_->reserve(*sweep);
    const std::size_t packed =
        usize(std::visit([](const auto& p) { return packed_rows(p); }, phase)) * usize(nrhs);
    if (packed_.size() < packed) packed_ = Buffer<T>(packed, "the right-hand sides");
  }
}

template <Scalar T>
std::vector<TinyShapes> Executor<T>::tiny_shapes(const plan::Plan& plan) const {
  std::vector<TinyShapes> shapes(plan.phase.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&plan.phase[i]))
      shapes[i] = engine::tiny_shapes(sweep->row_block, sweep->direction);
    if (const auto* diagonal = std::get_if<plan::DiagonalPhase>(&plan.phase[i]))
      shapes[i] = engine::tiny_shapes(diagonal->row_block, plan::Direction::scatter);
  }
  return shapes;
}

template <Scalar T>
T* Executor<T>::scratch() const {
  return state_->scratch.data();
}

template <Scalar T>
PhaseProfile Executor<T>::run(const plan::SweepPhase& phase, Index channel, const Run<T>& run) {
  const Span span(run.recorder, event_of(phase), 0);
  run.transport.open_phase(channel);
  SweepRun<T> sweep(panels_, *state_, phase, run.shapes[usize(channel)], run);
  panels_.pool.run([&](int thread) { sweep.serve(thread); });
  run.transport.close_phase(run.watchdog);
  for (const plan::Replacement& r : phase.replaced) {
    const T* target = rows_at(run.work, r.target);
    std::transform(target, target + usize(r.rows) * usize(run.work.nrhs), rows_at(run.work, r.slot),
                   std::negate<>{});
  }
  return sweep.done();
}

template <Scalar T>
void LocalPanels<T>::apply_diagonal(const RowBlocks& row_blocks, Op op, const kernels::Work<T>& work) const {
  for_each_panel<plan::Direction::scatter>(
      row_blocks, distribution::Side::diagonal, positions.diagonal.data(), work,
      [&](const TinyPanel<T>& panel, const auto& size) { multiply_tiny(panel, size, op); },
      [&](const kernels::Panel<T>& inverse, Index at) { kernels::diagonal_product(inverse, op, at, work); });
}

// Every piece is an independent product; threads take a few at a time.
template <Scalar T>
PhaseProfile Executor<T>::run(const plan::DiagonalPhase& phase, Index channel, const Run<T>& run) {
  const Span span(run.recorder, TraceKind::diagonal, 0);
  constexpr std::size_t few = 64;
  std::atomic<std::size_t> next{0};
  panels_.pool.run([&](int thread) {
    const Span products(run.recorder, TraceKind::products, thread);
    const auto work = state_->work_of(run, thread);
    const std::size_t all = phase.row_block.size();
    for (std::size_t i = next.fetch_add(few); i < all; i = next.fetch_add(few))
      panels_.apply_diagonal({phase.row_block, run.shapes[usize(channel)], i, std::min(i + few, all)},
                             phase.op, work);
  });
  return {};
}

// Copies between the slots of the step's segments and its message.
template <Scalar T>
void Executor<T>::pack_or_unpack(const plan::ExchangeStep& step, T* packed, const kernels::Work<T>& work) {
  for (const plan::SegmentId s : step.segment) {
    T* const slot = work.at(panels_.local_blocks.slot[usize(s)]);
    const std::size_t size = usize(panels_.local_blocks.width(s.value())) * usize(work.nrhs);
    switch (step.transfer) {
      case plan::Transfer::send:
        std::copy_n(slot, size, packed);
        break;
      case plan::Transfer::receive_copy:
        std::copy_n(packed, size, slot);
        break;
      case plan::Transfer::receive_add:
        std::transform(slot, slot + size, packed, slot, std::plus<>{});
        break;
    }
    packed += size;
  }
}

template <Scalar T>
PhaseProfile Executor<T>::run(const plan::ExchangePhase& phase, Index channel, const Run<T>& run) {
  const Span span(run.recorder, TraceKind::exchange, 0);
  constexpr std::size_t kind = plan::index_of(plan::MessageKind::exchange);
  PhaseProfile done;
  run.transport.open_phase(channel);
  T* next = packed_.data();  // of this step; sent messages stay until the phase is closed
  for (const plan::ExchangeStep& step : phase.step) {
    const std::span<T> packed(next, usize(step.rows) * usize(run.work.nrhs));
    const bool sends = step.transfer == plan::Transfer::send;
    if (!sends) {
      const Span receives(run.recorder, message_event(TraceKind::receive, step, packed.size_bytes()));
      receive(step.number, packed, run, [&] {
        return fmt::format("rank {} waits for rank {}'s part of segments that both layers share",
                           panels_.local_blocks.rank, step.rank.value());
      });
    }
    pack_or_unpack(step, packed.data(), run.work);
    if (sends) {
      const Span send(run.recorder, message_event(TraceKind::send, step, packed.size_bytes()));
      run.transport.send(step.number, packed.data(), packed.size_bytes());
    }
    (sends ? done.sent : done.received)[kind] += {1, static_cast<Offset>(packed.size_bytes())};
    next += packed.size();
  }
  run.transport.close_phase(run.watchdog);
  return done;
}

// Moves the caller's rows: b in, or x out.
template <Scalar T>
PhaseProfile Executor<T>::run(const plan::VectorPhase& phase, Index channel, const Run<T>& run) {
  const Span span(run.recorder, TraceKind::vectors, 0);
  constexpr std::size_t kind = plan::index_of(plan::MessageKind::vectors);
  const VectorMoves<T> moves(panels_.pool, phase.way, run.vectors, run.work);
  PhaseProfile done;
  T* next = packed_.data();  // of this message; sent messages stay until the phase is closed
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
      return fmt::format("rank {} waits for rank {}'s rows of the {}", panels_.local_blocks.rank,
                         message.rank.value(),
                         phase.way == plan::VectorWay::in ? "right-hand sides" : "solutions");
    });
    moves.unpack(message.row, packed.data());
    done.received[kind] += {1, static_cast<Offset>(packed.size_bytes())};
  }
  run.transport.close_phase(run.watchdog);
  return done;
}

#define INSTANTIATE(T) template class Executor<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
