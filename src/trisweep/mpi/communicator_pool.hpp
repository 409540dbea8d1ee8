#pragma once
// The MPI communicators that objects on one group of ranks use, one object after the other.
//
// A communicator takes one of few contexts (MPICH has 2,048), and collective calls to make and to free it. So
// those that objects are done with stay, in an attribute of the caller's communicator, for later objects. In
// one reduction the ranks take the first that is free on all of them, so that objects may be destroyed in
// another order on each rank, and without communication.
//
// MPI makes communicators and windows, and frees windows, in calls that have no end where a rank does not
// come. So all ranks enter such a call or none (a vote comes before it), and a rank on which it failed says
// so in a vote after it.

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
  // That of the caller's communicator, which must not connect two groups. Collective. Throws CollectiveError
  // where memory or contexts do not suffice. Here and below a rank that waits for another for longer than
  // `watchdog` seconds throws Stalled.
  static std::shared_ptr<CommunicatorPool> of(MPI_Comm parent, double watchdog);
  // Frees those that nothing is in flight on: a call that MPI expects to be local, and only while MPI runs.
  ~CommunicatorPool();
  CommunicatorPool(const CommunicatorPool&) = delete;
  CommunicatorPool& operator=(const CommunicatorPool&) = delete;

  struct Slot {
    MPI_Comm comm = MPI_COMM_NULL;
    bool free = true;
    MPI_Win window = MPI_WIN_NULL;  // of this lease, or left by the last
  };

  // A communicator that no other object of this rank uses.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<CommunicatorPool> pool) : pool_(std::move(pool)) {}
    // Of no pool.
    explicit Lease(MPI_Comm comm) : comm_(comm) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    MPI_Comm handle() const { return comm_; }
    CommunicatorPool& pool() const { return *pool_; }
    // Messages may still be in flight: it is not used again.
    void retire() { retired_ = true; }
    // The lease's window on the communicator, in an epoch of MPI_Win_lock_all. Collective, as freeing it is:
    // where the lease ends without, that is done when all ranks next take the communicator, or the pool ends.
    void keep(MPI_Win window) const;
    void free_window() const { CommunicatorPool::free_window(*slot_); }

   private:
    friend CommunicatorPool;
    std::shared_ptr<CommunicatorPool> pool_;
    Slot* slot_ = nullptr;
    MPI_Comm comm_ = MPI_COMM_NULL;
    bool retired_ = false;
  };
  // Collective. Throws CollectiveError when any rank passes a failure, or as of(). An error of MPI on one
  // rank ends the call on all, and everything that uses this pool.
  std::shared_ptr<Lease> lease(Failure failure, double watchdog);

  // Of what all objects of the pool depend on.
  const std::shared_ptr<FaultState>& fault() const;

  // That of the ranks that share this rank's memory, in the same order. Collective the first time. Throws as
  // of().
  std::shared_ptr<CommunicatorPool> of_node(double watchdog);

 private:
  CommunicatorPool() = default;
  static std::shared_ptr<CommunicatorPool> attached_to(MPI_Comm parent);
  static void require_one_group(MPI_Comm parent);
  // A bit for each slot, set where all ranks have one that this rank counts. And one more, which all set.
  template <class Counts>
  void count_slots(bool all_set, const Counts& counts);
  bool counted(std::size_t slot) const { return (bits_[slot / 64] >> slot % 64 & 1) != 0; }
  static void vote_from_stack(MPI_Comm parent, const Failure& failure);
  // `made` is the pool's then, and null.
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
  std::mutex mutex_;                          // of threads with objects of their own: for all that follows
  std::vector<std::unique_ptr<Slot>> slots_;  // equally many on all ranks
  std::vector<std::uint64_t> bits_{0};        // room for one more than there are slots
  bool had_windows_ = false;                  // on all ranks
  std::shared_ptr<CommunicatorPool> node_;
  std::shared_ptr<CommunicatorPool> attached_;  // itself, while the caller's communicator has it
};

}  // namespace trisweep::mpi
