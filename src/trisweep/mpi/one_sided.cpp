#include "trisweep/mpi/one_sided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

namespace trisweep::mpi {
namespace {

constexpr int size_bits = 40;            // of a flag: the rest names the solve
constexpr std::size_t batch = 256;       // flags looked at in one poll
constexpr unsigned looks_per_kick = 16;  // fruitless looks after which MPI gets a turn

}  // namespace

OneSided::OneSided(const Communicator& comm, const CommunicationPattern& pattern)
    : SlotTransport(comm, pattern, {.bytes = sizeof(std::uint64_t), .together = true}) {
  agree_on_error(own_, [&] { awaited_.reserve(slots_.most_incoming()); });
  MPI_Win made = MPI_WIN_NULL;
  // An MPI may have no windows for some networks, and says so only now. Where only some ranks have one it
  // stays: they could not free it.
  agree_on_error(own_, [&] {
    check(MPI_Win_allocate(static_cast<MPI_Aint>(slots_.bytes()), 1, MPI_INFO_NULL, own_.handle(), &base_,
                           &made),
          "MPI_Win_allocate",
          "use the two-sided transport; or let Open MPI do with messages what the network cannot, slowly: "
          "mpirun --mca osc ^ucx");
  });
  window_ = made;
  own_.keep(window_);
  try {
    open_window();
  } catch (const CollectiveError&) {  // on all ranks: they free it together
    own_.free_window();
    throw;
  }
}

OneSided::~OneSided() {
  epochs_.drain();  // freeing a window waits for all ranks: will they come?
  if (own_.may_communicate()) own_.free_window();
}

void OneSided::open_window() {
  agree_on_error(own_, [&] {
    check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    int* model = nullptr;
    int found = 0;
    check(MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found), "MPI_Win_get_attr");
    if (found == 0 || *model != MPI_WIN_UNIFIED) {
      throw Error(ErrorKind::environment,
                  "this MPI's windows do not show what others wrote without a call (no unified memory model)",
                  "use the two-sided transport");
    }
    std::memset(base_, 0, slots_.bytes());
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
    check(MPI_Win_sync(window_), "MPI_Win_sync");
  });  // nobody writes before everybody's flags are zero
}

void OneSided::open_phase(Index phase) {
  phase_ = phase;
  awaited_.resize(slots_.incoming(phase).size());
  std::iota(awaited_.begin(), awaited_.end(), 0);
  cursor_ = 0;
}

// Never 0, which is what a flag holds before the first message.
std::uint64_t OneSided::flag_word(std::size_t bytes) const {
  return (static_cast<std::uint64_t>(epochs_.current() + 1) << size_bits) | bytes;
}

// MPI 3.1 has no request that tells when a put has arrived: a flush it must be, which neither the watchdog
// nor the fault state ends. Where the target's software carries puts out, any call of MPI there does, so that
// a rank that has failed still lets this one go on.
void OneSided::send(Index number, const void* data, std::size_t bytes) {
  const Slot& slot = slots_.outgoing(phase_, number, bytes);
  const MPI_Aint shift = epochs_.parity() * slot.stride;
  const std::uint64_t flag = flag_word(bytes);
  in_pieces(bytes, own_.limits(), [&](std::size_t at, int count) {
    check(MPI_Put(static_cast<const std::byte*>(data) + at, count, MPI_BYTE, slot.peer,
                  slot.data + shift + static_cast<MPI_Aint>(at), count, MPI_BYTE, window_),
          "MPI_Put");
  });
  check(MPI_Win_flush(slot.peer, window_), "MPI_Win_flush");
  check(MPI_Put(&flag, 1, MPI_UINT64_T, slot.peer, slot.flag + shift, 1, MPI_UINT64_T, window_), "MPI_Put");
  check(MPI_Win_flush(slot.peer, window_), "MPI_Win_flush");
}

std::optional<Arrival> OneSided::look(Index number) const {
  const Slot& slot = slots_.incoming(phase_)[usize(number)];
  const MPI_Aint shift = epochs_.parity() * slot.stride;
  auto& word = *reinterpret_cast<std::uint64_t*>(base_ + slot.flag + shift);
  const std::uint64_t flag = std::atomic_ref(word).load(std::memory_order_acquire);
  if (flag >> size_bits != flag_word(0) >> size_bits) return std::nullopt;
  return Arrival{.from = slot.peer,
                 .number = number,
                 .bytes = flag & ((std::uint64_t{1} << size_bits) - 1),
                 .data = base_ + slot.data + shift};
}

// Where puts are carried out by software, it is the target's MPI that does it, in any call.
void OneSided::let_mpi_work() {
  if (++fruitless_ < looks_per_kick) return;
  fruitless_ = 0;
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_.handle(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::optional<Arrival> OneSided::poll() {
  check(MPI_Win_sync(window_), "MPI_Win_sync");
  for (std::size_t left = std::min(batch, awaited_.size()); left > 0; --left) {
    if (cursor_ >= awaited_.size()) cursor_ = 0;
    if (auto arrival = look(awaited_[cursor_])) {
      awaited_[cursor_] = awaited_.back();
      awaited_.pop_back();
      return arrival;
    }
    ++cursor_;
  }
  let_mpi_work();
  return std::nullopt;
}

std::optional<Arrival> OneSided::poll(Index number) {
  check(MPI_Win_sync(window_), "MPI_Win_sync");
  auto arrival = look(number);
  if (!arrival) {
    let_mpi_work();
    return std::nullopt;
  }
  std::erase(awaited_, number);
  return arrival;
}

}  // namespace trisweep::mpi
