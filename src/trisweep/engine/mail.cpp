#include "trisweep/engine/mail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/transport/gpu_memory.hpp"

namespace trisweep::engine {
namespace {

// Both ends know a message by its place in their lists; its number of rows tells enough.
transport::CommunicationPattern carried(const device::Program& program, std::size_t row_bytes) {
  transport::CommunicationPattern pattern{.row_bytes = row_bytes};
  pattern.phase.resize(program.part.size());
  for (const device::Letter& letter : program.letter) {
    transport::PhaseMessages& phase = pattern.phase[usize(letter.phase)];
    auto& list = letter.is_sent ? phase.out : phase.in;
    list.resize(std::max(list.size(), usize(letter.number) + 1));
    list[usize(letter.number)] = {.peer = letter.peer, .name = 0, .rows = letter.rows};
  }
  return pattern;
}

}  // namespace

template <Scalar T>
Mail<T>::Mail(const transport::Communicator& comm, const device::Program& program, Index nrhs,
              const EngineOptions& options)
    : program_(program),
      me_(comm.rank()),
      phases_(static_cast<Index>(program.part.size())),
      is_direct_(options.device == Device::emulated || transport::takes_gpu_memory()),
      patience_(options.watchdog, &comm) {
  const auto pattern = transport::collectively(comm, [&] {
    Offset rows = 0;
    for (const device::Letter& letter : program.letter) {
      row_of_.push_back(rows);
      rows += letter.rows;
    }
    if (!is_direct_) packed_ = zeros<T>(usize(rows) * usize(nrhs), "the right-hand sides");
    return carried(program, usize(nrhs) * sizeof(T));
  });
  transport_ = transport::find_transport("two-sided").make(comm, pattern);
}

template <Scalar T>
void Mail<T>::open(Index phase) {
  while (open_ < phase) {
    if (open_ >= 0) transport_->close_phase(patience_);
    transport_->open_phase(++open_);
  }
}

template <Scalar T>
void Mail<T>::receive(const device::Letter& letter, std::span<T> packed) {
  std::optional<transport::Arrival> arrival;
  patience_.moved();
  while (!(arrival = transport_->poll(letter.number)))
    patience_.nothing_yet([&] {
      return fmt::format("rank {} waits for {} rows of a message of phase {} of its plan", me_, letter.rows,
                         letter.phase);
    });
  transport_->receive(*arrival, packed.data(), packed.size_bytes());
}

template <Scalar T>
void Mail<T>::carry(const device::Stop& stop, const At& at) {
  for (Index i = stop.letter.begin; i < stop.letter.end; ++i) {
    const device::Letter& letter = program_.letter[usize(i)];
    open(letter.phase);
    const auto nrhs = usize(at.nrhs);
    const std::span<T> there(at.rows + usize(letter.row) * nrhs, usize(letter.rows) * nrhs);
    const std::span<T> packed =
        is_direct_ ? there : std::span(packed_.data() + usize(row_of_[usize(i)]) * nrhs, there.size());
    if (letter.is_sent) {
      if (!is_direct_) copy_on_gpu(packed.data(), there.data(), there.size_bytes(), at.stream);
      transport_->send(letter.number, packed.data(), packed.size_bytes());
    } else {
      receive(letter, packed);
      if (!is_direct_) copy_on_gpu(there.data(), packed.data(), there.size_bytes(), at.stream);
    }
  }
}

template <Scalar T>
void Mail<T>::close() {
  open(phases_ - 1);
  transport_->close_phase(patience_);
  transport_->close_solve(patience_);
  open_ = -1;
}

#define INSTANTIATE(T) template class Mail<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
