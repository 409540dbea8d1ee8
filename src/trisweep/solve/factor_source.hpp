#pragma once
// Where the factors of a triangular solver come from: this process's or another library's factorization, on
// rank 0 or on all ranks, or a file. Each is a class of its own (root_factors.hpp, lu_source.hpp); whatever
// uses factors knows this interface alone.

#include <memory>
#include <string>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {

struct FactorReport;  // report.hpp

// Every rank has one, of the same factors. Its functions are called by all ranks at once, analysis() first.
// They throw on every rank alike.
template <Scalar S>
class FactorSource {
 public:
  virtual ~FactorSource() = default;
  // On every rank the same, of the size of the structure. Never null.
  virtual std::shared_ptr<const Analysis> analysis(const mpi::Communicator& comm) = 0;
  // This rank's pieces of the factors. Any distribution of the analysis, any number of times.
  virtual engine::PieceValues<S> panels(const mpi::Communicator& comm,
                                        const distribution::Distribution& distribution,
                                        const distribution::LocalBlocks& local_blocks) = 0;
  // The next panels() are the last: it may give their memory up meanwhile. Does not communicate.
  virtual void expect_last() {}
  // ||Dr A Dc||_1; 0: not known without A.
  virtual double scaled_norm_one(const mpi::Communicator&) { return 0; }
  // Of sources with the same analysis the same; null where another rank knows. Does not communicate.
  virtual std::shared_ptr<const void> analysis_key(const mpi::Communicator& comm) const = 0;
  // Whether the structure has a place for every entry of the matrix, so that others of its values can be
  // factored in it.
  virtual bool holds_matrix() const { return false; }
  // Adds what is known of pivots. For rank 0 alone.
  virtual void describe(FactorReport&) const {}
};

// Factors that a solver begins with, in one of two precisions: on all ranks or on none.
template <Scalar T>
struct FactorSources {
  std::shared_ptr<FactorSource<T>> in_full{};            // in the matrix's precision
  std::shared_ptr<FactorSource<Single<T>>> in_single{};  // in single precision, of a mixed solver
  std::string diagonal = "supernodes";  // what is inverted, as symbolic::diagonals() names it; rank 0's

  template <class F>
  const std::shared_ptr<FactorSource<F>>& in() const {
    if constexpr (std::same_as<F, T>) {
      return in_full;
    } else {
      return in_single;
    }
  }
};

// A solver's matrix, as its callers gave it, with the factors.
template <Scalar T>
struct FactoredSystem {
  matrix::Csr<T> a;  // on rank 0, rows and columns by their numbers in the whole matrix; elsewhere empty
  FactorSources<T> factors;  // of it
};

}  // namespace trisweep::solve
