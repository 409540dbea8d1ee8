#pragma once
// Interface of a peer to the common protocol (driver.cpp): how to factor and how to solve.

#include <mpi.h>

#include <memory>
#include <string>

#include "problem.hpp"

namespace peers {

struct Settings {
  int threads = 1;
  int px = 1, py = 1, pz = 1;            // grid of the ranks of MPI_COMM_WORLD
  int nrhs = 1;                          // number of right-hand sides of the first solve
  std::string library;                   // for a peer that is loaded at run time
  std::string mapping = "block-cyclic";  // ours only; with "proportional" whole separators are inverted
  double compress = 0;                   // ours and MUMPS only: low-rank tolerance; 0: none
  bool own_order = false;                // uses the peer's own ordering, scaling and pivoting
  bool own_refinement = false;           // PARDISO only: its solves include refinement
};

// Known after the factorization.
struct Facts {
  std::string version;
  std::string kind;      // "cholesky" or "lu"
  std::string ordering;  // "ours" or "its own"
  // Number of values of the triangular factors that one solve reads, those of L twice for Cholesky; 0:
  // unknown.
  double entries_swept = 0;
  // Time of the numeric factorization, if only the peer can separate it from the analysis.
  double numeric_seconds = 0;
  // For a peer that refines: why its last solution was not accepted, and the number of its corrections.
  std::string refused;
  int corrections = 0;
};

class Peer {
 public:
  virtual ~Peer() = default;
  // analyze(): from the pattern only; factor(): with the values. By all ranks, once; refactor() treats the
  // values as new ones.
  virtual void analyze() = 0;
  virtual void factor() = 0;
  virtual void refactor() { factor(); }
  // The rows of b and x on this rank: all, unless the peer distributes them.
  virtual int first_row() const { return 0; }
  virtual int local_rows() const = 0;
  // Both sweeps, by all ranks; without refinement, unless refines(). Columns are contiguous. On input x is a
  // copy of b, for peers that overwrite it.
  virtual void solve(int nrhs, const double* b, double* x) = 0;
  virtual bool refines() const { return false; }
  virtual Facts facts() const = 0;
};

// Defined once for each peer. Throws std::runtime_error if the peer cannot solve the problem, such as a
// matrix of another kind.
std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings);

}  // namespace peers
