#include "trisweep/mpi/communicator_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {
namespace {

// True if MPI_COMM_WORLD has a pool. In MPI_Finalize SimGrid refuses access to its attribute.
bool of_world = false;

bool is_running() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized == 0;
}

// During its lifetime, MPI returns errors of the communicator instead of calling the caller's error handler.
class ReturnedErrors {
 public:
  explicit ReturnedErrors(MPI_Comm comm) : comm_(comm) {
    check(MPI_Comm_get_errhandler(comm, &callers_), "MPI_Comm_get_errhandler");
    if (is_set()) check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~ReturnedErrors() {
    if (!is_set()) return;
    MPI_Comm_set_errhandler(comm_, callers_);
    MPI_Errhandler_free(&callers_);
  }
  ReturnedErrors(const ReturnedErrors&) = delete;
  ReturnedErrors& operator=(const ReturnedErrors&) = delete;

 private:
  bool is_set() const { return callers_ != MPI_ERRHANDLER_NULL; }  // always, except in SimGrid

  MPI_Comm comm_;
  MPI_Errhandler callers_ = MPI_ERRHANDLER_NULL;
};

// Omits the caller's hints, some of which change how messages match.
MPI_Comm duplicate(MPI_Comm parent) {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &made), "MPI_Comm_dup_with_info",
        "close solvers that are no longer needed");
  if (const int code = MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN); code != MPI_SUCCESS) {
    MPI_Comm_free(&made);
    check(code, "MPI_Comm_set_errhandler");
  }
  return made;
}

}  // namespace

CommunicatorPool::Lease::~Lease() {
  if (slot_ == nullptr || retired_) return;
  const std::lock_guard lock(pool_->mutex_);
  slot_->free = true;
}

void CommunicatorPool::Lease::keep(MPI_Win window) const {
  const std::lock_guard lock(pool_->mutex_);
  slot_->window = window;
  pool_->had_windows_ = true;
}

// Tried once, whatever MPI returns: a rank that tried again would be alone in a collective call.
void CommunicatorPool::free_window(Slot& slot) noexcept {
  MPI_Win window = std::exchange(slot.window, MPI_WIN_NULL);
  if (window == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

template <class Counts>
void CommunicatorPool::count_slots(bool all_set, const Counts& counts) {
  std::ranges::fill(bits_, 0);
  const auto set = [&](std::size_t slot) { bits_[slot / 64] |= std::uint64_t{1} << slot % 64; };
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (counts(*slots_[s])) set(s);
  if (all_set) set(slots_.size());
  control_->intersect(std::span(bits_).first(slots_.size() / 64 + 1));
}

// All ranks get here, in MPI_Comm_free or MPI_Finalize; but some may still hold objects that others have
// destroyed.
void CommunicatorPool::free_left_windows() noexcept {
  const std::lock_guard lock(mutex_);
  if (!had_windows_ || control_->revoked()) return;
  try {
    count_slots(true, [](const Slot& slot) { return slot.free && slot.window != MPI_WIN_NULL; });
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (counted(s)) free_window(*slots_[s]);
  } catch (...) {  // MPI ends: no other object is left to be told
  }
}

CommunicatorPool::~CommunicatorPool() {
  if (!is_running() || !control_ || control_->revoked()) return;
  for (const auto& slot : slots_)
    if (slot->free) MPI_Comm_free(&slot->comm);
  MPI_Comm control = control_->handle();
  MPI_Comm_free(&control);
}

const std::shared_ptr<FaultState>& CommunicatorPool::fault() const {
  return control_->fault_;
}

int CommunicatorPool::detach(MPI_Comm parent, int, void* pool, void*) {
  if (parent == MPI_COMM_WORLD) of_world = false;
  // The pool may be destroyed here, but not during the assignment to a member of its own.
  const auto last = std::move(static_cast<CommunicatorPool*>(pool)->attached_);
  last->free_left_windows();
  return MPI_SUCCESS;
}

int CommunicatorPool::detach_from_world(MPI_Comm, int, void*, void*) {
  return of_world ? MPI_Comm_delete_attr(MPI_COMM_WORLD, attribute()) : MPI_SUCCESS;
}

int CommunicatorPool::attribute() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &detach, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF alone (MPI 3.1, 8.7.1).
void CommunicatorPool::attach_to(MPI_Comm parent) {
  check(MPI_Comm_set_attr(parent, attribute(), this), "MPI_Comm_set_attr");
  attached_ = shared_from_this();
  int relation = MPI_UNEQUAL;
  check(MPI_Comm_compare(parent, MPI_COMM_WORLD, &relation), "MPI_Comm_compare");
  if (relation != MPI_IDENT) return;
  of_world = true;
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &detach_from_world, &key, nullptr),
        "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

void CommunicatorPool::detach_from(MPI_Comm parent) noexcept {
  if (attached_) MPI_Comm_delete_attr(parent, attribute());
}

std::shared_ptr<CommunicatorPool> CommunicatorPool::attached_to(MPI_Comm parent) {
  void* found = nullptr;
  int exists = 0;
  check(MPI_Comm_get_attr(parent, attribute(), &found, &exists), "MPI_Comm_get_attr");
  return exists == 0 ? nullptr : static_cast<CommunicatorPool*>(found)->shared_from_this();
}

void CommunicatorPool::require_one_group(MPI_Comm parent) {
  int between_groups = 0;
  check(MPI_Comm_test_inter(parent, &between_groups), "MPI_Comm_test_inter");
  if (between_groups != 0)
    throw CollectiveError(ErrorKind::usage, "the communicator connects two groups of ranks",
                          "merge them with MPI_Intercomm_merge");
}

// Until the pool has a communicator of its own, ranks vote on the caller's. There no rank can be notified
// that another one has failed: the watchdog alone ends the wait. A rank without memory for its part in a vote
// keeps it on its stack, and waits without a limit.
std::shared_ptr<CommunicatorPool> CommunicatorPool::of(MPI_Comm parent, double watchdog) {
  require_running();
  if (parent == MPI_COMM_NULL)
    throw Error(ErrorKind::usage, "the communicator is MPI_COMM_NULL", "pass one that this rank is in");
  Failure failure;
  std::optional<ReturnedErrors> returned;
  std::shared_ptr<CommunicatorPool> pool;
  std::unique_ptr<Communicator> callers;
  try {
    if (auto found = attached_to(parent)) {
      const std::lock_guard lock(found->mutex_);
      found->control_->watch(watchdog);
      return found;
    }
    require_one_group(parent);
    returned.emplace(parent);
    pool.reset(new CommunicatorPool);
  } catch (const CollectiveError&) {
    throw;
  } catch (...) {
    failure = current_failure();
  }
  try {
    callers.reset(new Communicator(std::make_shared<Lease>(parent), std::make_shared<FaultState>()));
    callers->watch(watchdog);
  } catch (...) {
    vote_from_stack(parent, current_failure());
    throw;
  }
  throw_first_failure(*callers, failure);
  MPI_Comm made = MPI_COMM_NULL;
  try {
    made = duplicate(parent);
    pool->take_control(made);
    pool->control_->watch(watchdog);
    pool->attach_to(parent);
  } catch (...) {
    failure = current_failure();
  }
  try {
    throw_first_failure(*callers, failure);
  } catch (...) {
    pool->detach_from(parent);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    throw;
  }
  return pool;
}

void CommunicatorPool::vote_from_stack(MPI_Comm parent, const Failure& failure) {
  FaultState fault;
  Lease lease(parent);
  const std::shared_ptr<void> no_owner;
  throw_first_failure(Communicator({no_owner, &lease}, {no_owner, &fault}), failure);
}

void CommunicatorPool::take_control(MPI_Comm& made) {
  control_.reset(new Communicator(std::make_shared<Lease>(made), std::make_shared<FaultState>()));
  control_->fault_->bind(made, control_->rank(), control_->size());
  control_->fault_->set_up = 1;
  made = MPI_COMM_NULL;
}

std::shared_ptr<CommunicatorPool::Lease> CommunicatorPool::lease(Failure failure, double watchdog) {
  const std::lock_guard lock(mutex_);
  control_->watch(watchdog);
  std::shared_ptr<Lease> lease;
  std::unique_ptr<Slot> fresh;
  try {
    slots_.reserve(slots_.size() + 1);
    bits_.resize((slots_.size() + 1) / 64 + 1);
    fresh = std::make_unique<Slot>();
    lease = std::make_shared<Lease>(shared_from_this());
  } catch (...) {
    if (!failure.failed) failure = current_failure();
  }
  count_slots(!failure.failed, [](const Slot& slot) { return slot.free; });
  if (!counted(slots_.size())) throw_first_failure(*control_, failure);
  std::size_t first = 0;
  while (!counted(first)) ++first;
  if (first == slots_.size()) add(std::move(fresh));
  Slot& slot = *slots_[first];
  free_window(slot);
  slot.free = false;
  lease->slot_ = &slot;
  lease->comm_ = slot.comm;
  return lease;
}

void CommunicatorPool::add(std::unique_ptr<Slot> fresh) {
  try {
    agree_on_error(*control_, [&] { fresh->comm = duplicate(control_->handle()); });
  } catch (...) {
    if (fresh->comm != MPI_COMM_NULL) MPI_Comm_free(&fresh->comm);
    throw;
  }
  slots_.push_back(std::move(fresh));
}

std::shared_ptr<CommunicatorPool> CommunicatorPool::of_node(double watchdog) {
  const std::lock_guard lock(mutex_);
  control_->watch(watchdog);
  if (node_) {
    node_->control_->watch(watchdog);
    return node_;
  }
  agree_on_error(*control_, [] {});
  MPI_Comm made = MPI_COMM_NULL;
  try {
    node_ = agree_on_error(*control_, [&] {
      check(MPI_Comm_split_type(control_->handle(), MPI_COMM_TYPE_SHARED, control_->rank(), MPI_INFO_NULL,
                                &made),
            "MPI_Comm_split_type");
      check(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      std::shared_ptr<CommunicatorPool> pool(new CommunicatorPool);
      pool->take_control(made);
      pool->control_->watch(watchdog);
      return pool;
    });
  } catch (...) {
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    throw;
  }
  return node_;
}

}  // namespace trisweep::mpi
