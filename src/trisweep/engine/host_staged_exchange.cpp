#include "trisweep/engine/host_staged_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/backend/memory.hpp"
#include "trisweep/mpi/gpu_memory.hpp"

namespace trisweep::engine {
namespace {

// Both ends identify a message by its position in their lists; comparing numbers of rows suffices.
mpi::CommunicationPattern carried(const device::Program& program, std::size_t row_bytes) {
  mpi::CommunicationPattern pattern{.row_bytes = row_bytes};
  pattern.phase.resize(program.part.size());
  for (const device::StagedMessage& staged_message : program.staged_message) {
    mpi::PhaseMessages& phase = pattern.phase[usize(staged_message.phase)];
    auto& list = staged_message.is_sent ? phase.out : phase.in;
    list.resize(std::max(list.size(), usize(staged_message.number) + 1));
    list[usize(staged_message.number)] = {
        .peer = staged_message.peer, .name = 0, .rows = staged_message.rows};
  }
  return pattern;
}

}  // namespace

template <Scalar T>
HostStagedExchange<T>::HostStagedExchange(const mpi::Communicator& comm, const device::Program& program,
                                          Index nrhs, const EngineOptions& options)
    : program_(program),
      me_(comm.rank()),
      device_(options.device),
      phases_(static_cast<Index>(program.part.size())),
      is_direct_(options.device == Device::emulated || mpi::takes_gpu_memory()),
      watchdog_(options.watchdog, &comm) {
  const auto pattern = mpi::agree_on_error(comm, [&] {
    Offset rows = 0;
    for (const device::StagedMessage& staged_message : program.staged_message) {
      first_row_.push_back(rows);
      rows += staged_message.rows;
    }
    if (!is_direct_) packed_ = zeros<T>(usize(rows) * usize(nrhs), "the right-hand sides");
    return carried(program, usize(nrhs) * sizeof(T));
  });
  transport_ = mpi::find_transport("two-sided").make(comm, pattern);
}

template <Scalar T>
void HostStagedExchange<T>::open(Index phase) {
  while (open_ < phase) {
    if (open_ >= 0) transport_->close_phase(watchdog_);
    transport_->open_phase(++open_);
  }
}

template <Scalar T>
void HostStagedExchange<T>::receive(const device::StagedMessage& staged_message, std::span<T> packed) {
  std::optional<mpi::Arrival> arrival;
  watchdog_.reset();
  while (!(arrival = transport_->poll(staged_message.number)))
    watchdog_.backoff([&] {
      return fmt::format("rank {} waits for {} rows of a message of phase {} of its plan", me_,
                         staged_message.rows, staged_message.phase);
    });
  transport_->receive(*arrival, packed.data(), packed.size_bytes());
}

template <Scalar T>
void HostStagedExchange<T>::exchange(const device::LaunchBoundary& boundary, const At& at) {
  for (Index i = boundary.staged_message.begin; i < boundary.staged_message.end; ++i) {
    const device::StagedMessage& staged_message = program_.staged_message[usize(i)];
    open(staged_message.phase);
    const auto nrhs = usize(at.nrhs);
    const std::span<T> there(at.rows + usize(staged_message.row) * nrhs, usize(staged_message.rows) * nrhs);
    const std::span<T> packed =
        is_direct_ ? there : std::span(packed_.data() + usize(first_row_[usize(i)]) * nrhs, there.size());
    if (staged_message.is_sent) {
      if (!is_direct_) backend::copy(device_, packed.data(), there.data(), there.size(), at.stream);
      transport_->send(staged_message.number, packed.data(), packed.size_bytes());
    } else {
      receive(staged_message, packed);
      if (!is_direct_) backend::copy(device_, there.data(), packed.data(), there.size(), at.stream);
    }
  }
}

template <Scalar T>
void HostStagedExchange<T>::close() {
  open(phases_ - 1);
  transport_->close_phase(watchdog_);
  transport_->close_solve(watchdog_);
  open_ = -1;
}

#define INSTANTIATE(T) template class HostStagedExchange<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
