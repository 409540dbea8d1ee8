#pragma once
// Pool of the MPI communicators that objects on one group of ranks use, one object after the other.
//
// A communicator takes one of few contexts (MPICH has 2,048), and making and freeing it takes collective
// calls. So communicators that objects no longer need are kept for later objects, in an attribute of the
// caller's communicator. One reduction finds the first communicator that is free on all ranks. Objects may
// thus be destroyed without communication, and in a different order on each rank.
//
// MPI makes communicators and windows, and frees windows, in calls that never return if some rank does not
// enter. So a vote before such a call has all ranks enter it or none, and a vote after it tells all ranks of
// failures.

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace trisweep::mpi {

struct Failure;
class Communicator;
class FaultState;

class CommunicatorPool : public std::enable_shared_from_this<CommunicatorPool> {
 public:
  // The pool of the caller's communicator, which must not be an intercommunicator. Collective. Throws
  // CollectiveError if memory or contexts do not suffice. Here and below a rank that waits for another for
  // longer than `watchdog` seconds throws Stalled.
  static std::shared_ptr<CommunicatorPool> of(MPI_Comm parent, double watchdog);
  // Frees the communicators without messages in flight (MPI expects that call to be local), if MPI is
  // running.
  ~CommunicatorPool();
  CommunicatorPool(const CommunicatorPool&) = delete;
  CommunicatorPool& operator=(const CommunicatorPool&) = delete;

  struct Slot {
    MPI_Comm comm = MPI_COMM_NULL;
    bool free = true;
    MPI_Win window = MPI_WIN_NULL;  // of the current lease, or left by the last one
  };

  // A communicator that no other object of this rank uses.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<CommunicatorPool> pool) : pool_(std::move(pool)) {}
    // For a communicator that belongs to no pool.
    explicit Lease(MPI_Comm comm) : comm_(comm) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    MPI_Comm handle() const { return comm_; }
    CommunicatorPool& pool() const { return *pool_; }
    // Messages may still be in flight: the communicator is not used again.
    void retire() { retired_ = true; }
    // Keeps the lease's window on the communicator, in an epoch of MPI_Win_lock_all. Collective, as is
    // freeing the window: if the lease ends without free_window(), the window is freed when all ranks next
    // take the communicator, or when the pool ends.
    void keep(MPI_Win window) const;
    void free_window() const { CommunicatorPool::free_window(*slot_); }

   private:
    friend CommunicatorPool;
    std::shared_ptr<CommunicatorPool> pool_;
    Slot* slot_ = nullptr;
    MPI_Comm comm_ = MPI_COMM_NULL;
    bool retired_ = false;
  };
  // Collective. Throws CollectiveError if any rank passes a failure, or as of() does. An MPI error on one
  // rank ends the call on all ranks and revokes everything that uses this pool.
  std::shared_ptr<Lease> lease(Failure failure, double watchdog);

  // The fault state on which all objects of the pool depend.
  const std::shared_ptr<FaultState>& fault() const;

  // The pool of the ranks that share this rank's memory, in the same order. Collective in the first call.
  // Throws as of() does.
  std::shared_ptr<CommunicatorPool> of_node(double watchdog);

 private:
  CommunicatorPool() = default;
  static std::shared_ptr<CommunicatorPool> attached_to(MPI_Comm parent);
  static void require_one_group(MPI_Comm parent);
  // Sets a bit for each slot for which counts(slot) is true on all ranks, and one more bit if `all_set` is
  // true on all ranks.
  template <class Counts>
  void count_slots(bool all_set, const Counts& counts);
  bool counted(std::size_t slot) const { return (bits_[slot / 64] >> slot % 64 & 1) != 0; }
  static void vote_from_stack(MPI_Comm parent, const Failure& failure);
  // Takes ownership of `made` and sets it to MPI_COMM_NULL.
  void take_control(MPI_Comm& made);
  void add(std::unique_ptr<Slot> fresh);
  static void free_window(Slot& slot) noexcept;
  void free_left_windows() noexcept;
  static int detach(MPI_Comm, int, void* pool, void*);
  static int detach_from_world(MPI_Comm, int, void*, void*);
  static int attribute();
  void attach_to(MPI_Comm parent);
  void detach_from(MPI_Comm parent) noexcept;

  std::unique_ptr<Communicator> control_;     // for agreeing on slots
  std::mutex mutex_;                          // for threads with different objects: guards all below
  std::vector<std::unique_ptr<Slot>> slots_;  // equally many on all ranks
  std::vector<std::uint64_t> bits_{0};        // one more than there are slots
  bool had_windows_ = false;                  // whether there have been windows, on all ranks
  std::shared_ptr<CommunicatorPool> node_;
  std::shared_ptr<CommunicatorPool> attached_;  // this pool, while it is an attribute of the caller's
};

}  // namespace trisweep::mpi
