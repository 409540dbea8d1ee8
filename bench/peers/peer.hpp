#pragma once
// What a peer's driver gives to the common protocol (driver.cpp): how to factor and how to solve.

#include <mpi.h>

#include <memory>
#include <string>

#include "problem.hpp"

namespace peers {

struct Settings {
  int threads = 1;
  int px = 1, py = 1, pz = 1;            // of the ranks of MPI_COMM_WORLD
  int nrhs = 1;                          // that will be solved for first
  std::string library;                   // of a peer that is loaded at run time
  std::string mapping = "block-cyclic";  // ours only; with "proportional" whole separators are inverted
  double compress = 0;                   // ours and MUMPS only: the eps of low rank; 0: none
  bool own_order = false;                // orders, scales and pivots as it does by itself
  bool own_refinement = false;           // PARDISO only: its solves refine by themselves
};

// Said once the factors are there.
struct Facts {
  std::string version;
  std::string kind;      // "cholesky" or "lu"
  std::string ordering;  // "ours" or "its own"
  // Values of the triangular factors that one solve reads, those of L twice for Cholesky; 0: not told.
  double entries_swept = 0;
  // Of the numeric factorization, where the peer alone can tell it from the analysis.
  double numeric_seconds = 0;
  // Of one that refines: why its last answer is not called solved, and its corrections.
  std::string refused;
  int corrections = 0;
};

class Peer {
 public:
  virtual ~Peer() = default;
  // Pattern only, and what is made of it; then values. By all ranks, once; refactor() takes values as if they
  // were others.
  virtual void analyze() = 0;
  virtual void factor() = 0;
  virtual void refactor() { factor(); }
  // The rows of b and x on this rank: all, unless the peer deals them out.
  virtual int first_row() const { return 0; }
  virtual int local_rows() const = 0;
  // Both sweeps, by all ranks; without refinement, unless refines(). Columns follow one another. x comes in
  // as a copy of b, for peers that overwrite it.
  virtual void solve(int nrhs, const double* b, double* x) = 0;
  virtual bool refines() const { return false; }
  virtual Facts facts() const = 0;
};

// Each driver has one. Throws std::runtime_error where the peer cannot do it, such as a matrix of another
// kind.
std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings);

}  // namespace peers
