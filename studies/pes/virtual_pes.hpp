#pragma once
// A triangular solve by several PEs as designs distribute it (designs.hpp), with the source of their kernels
// (pe_warp.hpp), simulated by one thread. In each of its turns a PE polls once every component whose warp is
// resident. The next turn is always that of the PE whose clock is earliest, and its clock advances by the
// cost of the turn: so counts and times are reproducible.

#include "studies/pes/exchanges.hpp"
#include "studies/pes/pe_program.hpp"
#include "trisweep/core/vectors.hpp"

namespace trisweep::studies {

// Costs of a PE, in seconds. A turn costs `turn` plus the cost of its work: contributions, bytes between PEs,
// reads (whose latencies overlap, except for ordered ones), migrating pages and launches.
struct PeCosts {
  Index workers = 80;        // compute units, each with the warps that its registers leave room for
  double turn = 0.7e-6;      // a read of memory, and an atomic operation whose effect it sees
  double entry = 0.05e-9;    // of a contribution
  double latency = 1.3e-6;   // of reading another PE's memory
  double ordered = 0.1e-6;   // of a read or write between PEs that none may overlap
  double bandwidth = 64e9;   // between PEs
  double migration = 20e-6;  // of a batch of pages that fault in the same turn
  Offset batch = 256;        // largest number of pages in a batch, as in NVIDIA's driver
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
  PeReport& operator+=(const PeReport& other);
};

struct PeOptions {
  PeLayout layout;
  PeCosts costs;
  bool one_stream = false;  // a PE begins a task when the previous one has ended; else when warps are free
};

// Programs of a design's PEs. If the design has several placements, chooses the fastest by the clock. Throws
// Error(usage) for less than one PE or task, or more than most_pes PEs.
template <Scalar T>
PePrograms<T> programs_of(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                          const PeOptions& options);

template <Scalar T>
class VirtualPes {
 public:
  // Throws as programs_of() does.
  VirtualPes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design, const PeOptions& options);

  // b and x have A's rows; they may be the same memory. The report covers all right-hand sides, which are
  // solved one after the other.
  PeReport solve(Vectors<const T> b, Vectors<T> x);

 private:
  PeOptions options_;
  PePrograms<T> programs_;
};

}  // namespace trisweep::studies
