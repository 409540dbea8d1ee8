#include "trisweep/mpi/one_sided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

namespace trisweep::mpi {
namespace {

constexpr std::size_t batch = 256;       // slots tested in one poll
constexpr unsigned looks_per_kick = 16;  // fruitless polls after which MPI is called
constexpr std::ptrdiff_t trial = 0;      // offset in the window where puts are tested

std::size_t most_sent(const CommunicationPattern& pattern) {
  std::size_t most = 0;
  for (const PhaseMessages& messages : pattern.phase) most = std::max(most, messages.out.size());
  return most;
}

// Largest number of words that the messages of one phase take, including an answer for each.
std::size_t most_words(const CommunicationPattern& pattern) {
  std::size_t most = 0;
  for (const PhaseMessages& messages : pattern.phase) {
    std::size_t words = 0;
    for (const Envelope& m : messages.out)
      words += CheckedMessage::words(usize(m.rows) * pattern.row_bytes) + 1;
    most = std::max(most, words);
  }
  return most;
}

}  // namespace

OneSided::OneSided(const Communicator& comm, const CommunicationPattern& pattern)
    : SlotTransport(comm, pattern, CheckedMessage::head_bytes, sizeof(std::uint64_t)) {
  agree_on_error(own_, [&] {
    awaited_.reserve(slots_.most_incoming());
    requests_.reserve(2 * std::max<std::size_t>(1, most_sent(pattern)));
    packed_ = {std::max<std::size_t>(2, most_words(pattern)), "messages of the one-sided transport"};
  });
  MPI_Win made = MPI_WIN_NULL;
  // An MPI may have no windows for some networks, and reports this only here. If only some ranks have got a
  // window, it is kept: they could not free it alone.
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
    find_a_way();
  } catch (const CollectiveError&) {  // all ranks throw: they free the window together
    own_.free_window();
    throw;
  } catch (...) {
    if (!requests_.empty()) packed_.release();
    throw;
  }
}

OneSided::~OneSided() {
  if (!requests_.empty()) packed_.release();  // an error has ended the wait for them
  epochs_.drain();                            // freeing a window waits for all ranks: will they come?
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
                  "this MPI's windows show writes of other ranks only after a call (no unified memory model)",
                  "use the two-sided transport");
    }
    std::memset(base_, 0, slots_.bytes());
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
    check(MPI_Win_sync(window_), "MPI_Win_sync");
  });  // no rank writes before the flags of all ranks are zero
}

void OneSided::find_a_way() {
  for (const bool pushes : {false, true}) {
    pushes_ = pushes;
    if (puts_come()) return;
  }
  agree_on_error(own_, [] {
    throw Error(ErrorKind::environment,
                "this MPI completes a put only when its sender waits for it without a limit",
                "use the two-sided transport");
  });
}

// Puts a word to the next rank. Within a few reductions every rank has called MPI several times, however busy
// the machine.
bool OneSided::puts_come() {
  constexpr int sums = 10;
  Watchdog watchdog(own_.watchdog_limit(), &own_);
  agree_on_error(own_, [&] {
    packed_end_ = 0;
    packed_[0] = 1;
    put(1, (own_.rank() + 1) % own_.size(), trial);
    close_phase(watchdog);
  });
  for (int i = 0; i < sums; ++i) {
    const bool here = agree_on_error(own_, [&] {
      own_.progress();
      check(MPI_Win_sync(window_), "MPI_Win_sync");
      return load(trial) != 0;
    });
    if (own_.max(here ? 0.0 : 1.0) == 0) return true;
  }
  return false;
}

void OneSided::open_phase(Index phase) {
  phase_ = phase;
  packed_end_ = 0;
  awaited_.resize(slots_.incoming(phase).size());
  std::iota(awaited_.begin(), awaited_.end(), 0);
  cursor_ = 0;
}

// Puts the next `words` of packed_. The word behind them receives the target's answer.
void OneSided::put(std::size_t words, Index to, std::ptrdiff_t at) {
  std::uint64_t* const packed = packed_.data() + packed_end_;
  packed_end_ += words + 1;
  const Extent extent(words * sizeof *packed, own_.limits());
  requests_.push_back(MPI_REQUEST_NULL);
  check(MPI_Rput(packed, extent.count(), extent.type(), to, at, extent.count(), extent.type(), window_,
                 &requests_.back()),
        "MPI_Rput");
  if (!pushes_) return;
  requests_.push_back(MPI_REQUEST_NULL);
  check(MPI_Rget(packed + words, 1, MPI_UINT64_T, to, trial, 1, MPI_UINT64_T, window_, &requests_.back()),
        "MPI_Rget");
}

void OneSided::send(Index number, const void* data, std::size_t bytes) {
  const Slot& slot = slots_.outgoing(phase_, number, bytes);
  const CheckedMessage message(epochs_.current(), bytes);
  message.pack(data, packed_.data() + packed_end_);
  put(CheckedMessage::words(bytes), slot.peer, slot.flag + epochs_.parity() * slot.stride);
}

std::uint64_t OneSided::load(std::ptrdiff_t at) const {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(base_ + at)).load(std::memory_order_relaxed);
}

std::optional<Arrival> OneSided::look(Index number) const {
  const Slot& slot = slots_.incoming(phase_)[usize(number)];
  const std::ptrdiff_t begin = slot.flag + epochs_.parity() * slot.stride;
  const CheckedMessage message(load(begin));
  if (!message.is_of(epochs_.current()) || message.bytes() > slot.room) return std::nullopt;
  if (!message.is_complete(reinterpret_cast<const std::uint64_t*>(base_ + begin))) return std::nullopt;
  return Arrival{.from = slot.peer, .number = number, .bytes = message.bytes(), .data = base_ + begin};
}

void OneSided::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  CheckedMessage(epochs_.current(), bytes).unpack(static_cast<const std::uint64_t*>(arrival.data), data);
}

// If puts are carried out by software, the target's MPI does so, in any call.
void OneSided::let_mpi_work() {
  if (++fruitless_ < looks_per_kick) return;
  fruitless_ = 0;
  own_.progress();
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

// Afterwards the buffers of the phase's messages may be reused.
void OneSided::close_phase(Watchdog& watchdog) {
  watchdog.wait(static_cast<int>(requests_.size()), requests_.data(), "sent messages have not left");
  requests_.clear();
}

}  // namespace trisweep::mpi
