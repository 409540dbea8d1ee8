#include "trisweep/engine/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "trisweep/engine/sweep_run.hpp"

namespace trisweep::engine {
namespace {

Index widest_segment(const distribution::LocalBlocks& local_blocks) {
  Index width = 0;
  for (Index s = 0; s < local_blocks.segments(); ++s) width = std::max(width, local_blocks.width(s));
  return width;
}

// Of all messages of a phase, which are packed before they are sent, or when they have come.
Offset packed_rows(const plan::ExchangePhase& phase) {
  Offset rows = 0;
  for (const auto& step : phase.step) rows += step.rows;
  return rows;
}

TraceKind event_of(const plan::SweepPhase& phase) {
  const plan::Part part = plan::part_of(phase);
  if (part == plan::Part::diagonal) return TraceKind::diagonal;
  return part == plan::Part::forward ? TraceKind::l_sweep : TraceKind::u_sweep;
}

TraceEvent message_event(TraceKind kind, const plan::ExchangeStep& step, std::size_t bytes) {
  return {kind, 0, -1, step.rank.value(), plan::MessageKind::exchange, static_cast<Offset>(bytes), 0, 0};
}

template <class T>
void grow(Buffer<T>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer = Buffer<T>(size, "the right-hand sides");
}

}  // namespace

template <Scalar T>
Executor<T>::Executor(const distribution::LocalBlocks& local_blocks, distribution::PiecePositions positions,
                      const PanelStore<T>& panels, ThreadPool& pool)
    : local_blocks_(local_blocks),
      positions_(std::move(positions)),
      panels_(panels),
      pool_(pool),
      vectors_(pool, local_blocks.rank),
      state_(std::make_unique<SweepState>()) {}

template <Scalar T>
Executor<T>::~Executor() = default;

template <Scalar T>
void Executor<T>::reserve(const plan::Plan& plan, Index nrhs) {
  const std::size_t scratch = kernels::scratch_size(widest_segment(local_blocks_), nrhs);
  if (scratch > scratch_size_) {
    grow(scratch_, scratch * usize(pool_.size()));
    scratch_size_ = scratch;
  }
  vectors_.reserve(plan, nrhs);
  for (const auto& phase : plan.phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) state_->reserve(*sweep);
    if (const auto* exchange = std::get_if<plan::ExchangePhase>(&phase))
      grow(packed_, usize(packed_rows(*exchange)) * usize(nrhs));
  }
}

template <Scalar T>
kernels::Work<T> Executor<T>::work_of(const Run<T>& run, int thread) {
  kernels::Work<T> work = run.work;
  work.scratch = scratch_.data() + usize(thread) * scratch_size_;
  return work;
}

template <Scalar T>
PhaseProfile Executor<T>::run(const plan::SweepPhase& phase, Index channel, const Run<T>& run) {
  const Span span(run.recorder, event_of(phase), 0);
  run.transport.open_phase(channel);
  SweepRun<T> sweep(*this, phase, run);
  pool_.run([&](int thread) { sweep.serve(thread); });
  run.transport.close_phase(run.watchdog);
  for (const plan::Replacement& r : phase.replaced) {
    const T* target = rows_at(run.work, r.target);
    std::transform(target, target + usize(r.rows) * usize(run.work.nrhs), rows_at(run.work, r.slot),
                   std::negate<>{});
  }
  return sweep.done();
}

template <Scalar T>
void Executor<T>::apply_diagonal(const plan::RowBlock& row_block, Op op, const kernels::Work<T>& work) {
  if (const T* const tiny = panels_.plain(distribution::Side::diagonal);
      tiny != nullptr && work.nrhs == 1 && is_tiny(row_block)) {
    const TinyPanel panel(tiny, row_block, op == Op::conjugate_transpose);
    return multiply_tiny(panel, row_block, op != Op::none, work.row);
  }
  const kernels::Panel<T> inverse{.value = panels_.piece(distribution::Side::diagonal, row_block),
                                  .position = positions_.diagonal.data() + row_block.position,
                                  .height = row_block.height,
                                  .width = row_block.width,
                                  .begin = 0,
                                  .end = row_block.height,
                                  .conjugate = false};
  kernels::diagonal_product(inverse, op, row_block.at.value(), work);
}

// Every piece is an independent product; threads take a few at a time.
template <Scalar T>
PhaseProfile Executor<T>::run(const plan::DiagonalPhase& phase, Index, const Run<T>& run) {
  const Span span(run.recorder, TraceKind::diagonal, 0);
  constexpr std::size_t few = 16;
  std::atomic<std::size_t> next{0};
  pool_.run([&](int thread) {
    const Span products(run.recorder, TraceKind::products, thread);
    const auto work = work_of(run, thread);
    for (std::size_t i = next.fetch_add(few); i < phase.row_block.size(); i = next.fetch_add(few)) {
      for (std::size_t j = i; j < std::min(i + few, phase.row_block.size()); ++j)
        apply_diagonal(phase.row_block[j], phase.op, work);
    }
  });
  return {};
}

// Between the slots of the step's segments and its message.
template <Scalar T>
void Executor<T>::pack_or_unpack(const plan::ExchangeStep& step, T* packed, const kernels::Work<T>& work) {
  for (const plan::SegmentId s : step.segment) {
    T* const slot = work.at(local_blocks_.slot[usize(s)]);
    const std::size_t size = usize(local_blocks_.width(s.value())) * usize(work.nrhs);
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
  T* next = packed_.data();  // of this step; what was sent stays until the phase is closed
  for (const plan::ExchangeStep& step : phase.step) {
    const std::span<T> packed(next, usize(step.rows) * usize(run.work.nrhs));
    const bool sends = step.transfer == plan::Transfer::send;
    if (!sends) {
      const Span receives(run.recorder, message_event(TraceKind::receive, step, packed.size_bytes()));
      receive(step.number, packed, run, [&] {
        return fmt::format("rank {} waits for rank {}'s part of segments that both layers share",
                           local_blocks_.rank, step.rank.value());
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

#define INSTANTIATE(T) template class Executor<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
