#pragma once
// Factorizations of another library instead of ours, such as SuperLU_DIST's (superlu_dist/engine.hpp), by all
// ranks together.

#include <memory>
#include <string_view>
#include <type_traits>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/solve/factor_source.hpp"

namespace trisweep::solve {

// Options of a factorization by another library. The same on every rank.
struct EngineRequest {
  ordering::Method ordering = ordering::Method::automatic;  // used if one rank orders
  int threads = 1;                                          // per rank
  RowNumbers numbers{};                                     // of rows and columns, for messages
  Observer& observer;                                       // rank 0's
};

// Factors one system repeatedly, with different values of one pattern.
template <Scalar S>
class DistributedFactorizer {
 public:
  virtual ~DistributedFactorizer() = default;
  // Collective. `rows`: this rank's rows in `partition`, with ascending columns of the whole matrix. Order,
  // scaling and structure of the previous factors are reused, unless these values need others: a source with
  // the same analysis_key() has the same analysis. Throws on every rank Error(numerical) when the
  // factorization fails, Error(environment) when memory does not suffice.
  virtual std::shared_ptr<FactorSource<S>> factor(const mpi::Communicator& comm, matrix::Csr<S> rows,
                                                  const distribution::RowPartition& partition,
                                                  const EngineRequest& request) = 0;
};

// Immutable: any number of solvers may share it.
class FactorEngine {
 public:
  // A factorizer in precision S.
  template <Scalar S>
  using Made = std::shared_ptr<DistributedFactorizer<S>>;

  virtual ~FactorEngine() = default;
  // Name in the option `--factorization`. Must not throw.
  virtual std::string_view name() const = 0;
  // Returns a factorizer for one system, in single precision. Null: not supported by the library. May throw
  // only std::bad_alloc.
  virtual Made<float> make(std::type_identity<float>) const { return nullptr; }
  // The same in double precision.
  virtual Made<double> make(std::type_identity<double>) const { return nullptr; }
  // The same for complex systems in single precision.
  virtual Made<std::complex<float>> make(std::type_identity<std::complex<float>>) const { return nullptr; }
  // The same for complex systems in double precision.
  virtual Made<std::complex<double>> make(std::type_identity<std::complex<double>>) const { return nullptr; }
};

}  // namespace trisweep::solve
