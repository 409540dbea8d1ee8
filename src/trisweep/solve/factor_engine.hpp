#pragma once
// Factorizations of another library in the place of ours, such as SuperLU_DIST's (superlu_dist/engine.hpp):
// all ranks make them together.

#include <memory>
#include <string_view>
#include <type_traits>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/solve/factor_source.hpp"

namespace trisweep::solve {

// What an engine is told of a factorization. The same on every rank.
struct EngineRequest {
  ordering::Method ordering = ordering::Method::automatic;  // where one rank orders
  int threads = 1;                                          // per rank
  RowNumbers numbers{};                                     // of rows and columns, for messages
  Observer& observer;                                       // rank 0's
};

// Factors one system again and again: values of one pattern.
template <Scalar S>
class DistributedFactorizer {
 public:
  virtual ~DistributedFactorizer() = default;
  // Collective. `rows`: this rank's, those of `partition`, ascending, with the columns of the whole matrix.
  // The order, scaling and structure of the factors before are used again, unless these values need others: a
  // source with the same analysis_key() has the same analysis. Throws on every rank Error(numerical) when the
  // matrix has no such factors, Error(environment) when memory does not suffice.
  virtual std::shared_ptr<FactorSource<S>> factor(const mpi::Communicator& comm, matrix::Csr<S> rows,
                                                  const distribution::RowPartition& partition,
                                                  const EngineRequest& request) = 0;
};

// Immutable: any number of solvers may share it.
class FactorEngine {
 public:
  // What makes factors of S.
  template <Scalar S>
  using Made = std::shared_ptr<DistributedFactorizer<S>>;

  virtual ~FactorEngine() = default;
  // As the option `--factorization` has it. Must not throw.
  virtual std::string_view name() const = 0;
  // For a system of its own, in single precision. Null: the engine has no such factors. May throw
  // std::bad_alloc alone.
  virtual Made<float> make(std::type_identity<float>) const { return nullptr; }
  // The same in double precision.
  virtual Made<double> make(std::type_identity<double>) const { return nullptr; }
  // The same of complex numbers.
  virtual Made<std::complex<float>> make(std::type_identity<std::complex<float>>) const { return nullptr; }
  // The same of complex numbers in double precision.
  virtual Made<std::complex<double>> make(std::type_identity<std::complex<double>>) const { return nullptr; }
};

}  // namespace trisweep::solve
