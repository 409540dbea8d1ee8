#pragma once
// Source of the factors of a triangular solver: our or another library's factorization, on rank 0 or on all
// ranks, or a file. Each source is a class of its own (root_factors.hpp, lu_source.hpp); users of the factors
// see only this interface.

#include <memory>
#include <string>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {

struct FactorReport;  // report.hpp

// A collective object: every rank has one for the same factors. All ranks call its functions together,
// analysis() first; errors are thrown on every rank.
template <Scalar S>
class FactorSource {
 public:
  virtual ~FactorSource() = default;
  // Returns the analysis of the factors, the same on every rank, of the size of the structure. Never null.
  virtual std::shared_ptr<const Analysis> analysis(const mpi::Communicator& comm) = 0;
  // Returns this rank's pieces of the factors, in any distribution of the analysis. May be called repeatedly.
  virtual engine::PieceValues<S> panels(const mpi::Communicator& comm,
                                        const distribution::Distribution& distribution,
                                        const distribution::LocalBlocks& local_blocks) = 0;
  // Announces that the next call of panels() is the last, which may free memory on the way. Local.
  virtual void expect_last() {}
  // Returns ||Dr A Dc||_1; 0: unknown without A.
  virtual double scaled_norm_one(const mpi::Communicator&) { return 0; }
  // Returns a key that is equal for sources with the same analysis; may be null except on rank 0. Local.
  virtual std::shared_ptr<const void> analysis_key(const mpi::Communicator& comm) const = 0;
  // True if the structure has a place for every entry of the matrix, so that new values of the matrix can be
  // factored in it.
  virtual bool holds_matrix() const { return false; }
  // Adds the pivot counts to the report. On rank 0 only.
  virtual void describe(FactorReport&) const {}
};

// Given factors that a solver starts from, in one of two precisions; set on all ranks or on none.
template <Scalar T>
struct FactorSources {
  std::shared_ptr<FactorSource<T>> in_full{};            // in the matrix's precision
  std::shared_ptr<FactorSource<Single<T>>> in_single{};  // in single precision, of a mixed solver
  std::string diagonal = "supernodes";  // inverted blocks, a name of symbolic::diagonals(); read on rank 0

  template <class F>
  const std::shared_ptr<FactorSource<F>>& in() const {
    if constexpr (std::same_as<F, T>) {
      return in_full;
    } else {
      return in_single;
    }
  }
};

// A solver's matrix, in the caller's rows and units, with its factors.
template <Scalar T>
struct FactoredSystem {
  matrix::Csr<T> a;  // on rank 0, rows and columns by their numbers in the whole matrix; elsewhere empty
  FactorSources<T> factors;  // factors of `a`
};

}  // namespace trisweep::solve
