#pragma once
// A triangular solve by several PEs as the designs share it (designs.hpp), without synchronization: a warp
// looks at its component until all contributions are there, solves it and contributes to others (Liu, Li,
// Hogg, Duff, Vinter 2016; multi-GPU zero-copy paper, Algorithms 2 and 3).
//
// A PE takes turns; in each it looks once at every component whose warp is resident. Threads take them at
// their own pace; or one thread takes all, always the turn of the PE whose clock is the earliest, and clocks
// go on by what a turn would cost: what is counted and timed so is the same every time.

#include <memory>

#include "trisweep/component/exchanges.hpp"
#include "trisweep/component/lower_system.hpp"
#include "trisweep/core/crew.hpp"
#include "trisweep/core/vectors.hpp"

namespace trisweep::component {

inline constexpr int most_pes = 64;

// Of a PE, in seconds. A turn costs `turn` and what it does: contributions, bytes between PEs, reads (whose
// latencies overlap, but for those that are ordered), pages that migrate and launches.
struct PeCosts {
  Index resident = 5120;     // warps
  double turn = 0.7e-6;      // a look at memory, and an atomic operation that it sees
  double entry = 0.05e-9;    // of a contribution
  double latency = 1.3e-6;   // of reading another PE's memory
  double ordered = 0.1e-6;   // of a read or write between PEs that no other may overlap
  double bandwidth = 64e9;   // between PEs
  double migration = 20e-6;  // of a batch of pages that fault in the same turn
  Offset batch = 256;        // of them at most, as NVIDIA's driver takes them
  double launch = 5e-6;      // of a task
};

struct PeOutcome {
  PeCounts counts;
  Offset launches = 0;
  double seconds = 0;       // by its clock
  double idle_seconds = 0;  // of these: in turns that solve nothing, waiting for memories of others, and
                            // until the last PE has ended

  PeOutcome& operator+=(const PeOutcome& other);
};

struct PeReport {
  std::vector<PeOutcome> pe;
  double seconds = 0;

  PeCounts total() const;
  double idle_share() const;
};

enum class Pace { threads, clock };

struct PeOptions {
  PeLayout layout;
  PeCosts costs;
  Pace pace = Pace::clock;
};

template <Scalar T>
class VirtualPes {
 public:
  // Throws Error(usage) for less than one PE or task, or more than most_pes.
  VirtualPes(LowerSystem<T> system, const NamedDesign& design, const PeOptions& options);

  // b and x have A's rows; they may be the same memory. The report is of all right-hand sides, which are
  // solved one after the other.
  PeReport solve(Vectors<const T> b, Vectors<T> x);

 private:
  class Pe;
  void place(const std::vector<Index>& pe_of_task);
  // By the crew, a thread for each PE, or without one by their clocks.
  PeReport solve_column(const T* b, T* x, Crew* crew);

  LowerSystem<T> system_;
  matrix::Csr<T> users_;  // by component: those that it contributes to
  PeOptions options_;
  Exchange exchange_;
  Crossings crossings_;
  std::vector<Index> own_;                // by component: contributions of its own PE
  std::vector<std::vector<Index>> rows_;  // by PE
};

}  // namespace trisweep::component
