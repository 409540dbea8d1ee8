#include "trisweep/solve/analyzed_system.hpp"

#include <utility>

#include "trisweep/solve/factorizer.hpp"
#include "trisweep/solve/usable_options.hpp"

namespace trisweep::solve {

template <Scalar T>
AnalyzedSystem<T>::AnalyzedSystem(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options)
    : rows_(std::move(rows)) {
  const mpi::Communicator ranks(comm);
  mpi::revoke_on_error(ranks, [&] {
    options_ = mpi::agree_on_error(ranks, [&] { return options; });
    const SolverOptions usable = usable_options<T>(ranks, options_);
    LinearSystem<T> system(ranks, rows_);
    const Factorizer<T> factorizer(ranks, system, usable);
    const Attempt first{.low_precision = usable.mixed, .compression = first_compression<T>(usable)};
    auto planned = first.low_precision ? factorizer.template analyze_on_ranks<Single<T>>(first)
                                       : factorizer.template analyze_on_ranks<T>(first);
    mpi::agree_on_error(ranks, [&] {
      if (ranks.rank() == 0) planned_ = std::make_shared<const PlannedSystem>(std::move(planned));
    });
  });
}

template <Scalar T>
Solver<T> AnalyzedSystem<T>::factorize(MPI_Comm comm, std::span<const T> values,
                                       const SolverOptions& options) const {
  BlockRows<T> rows{.a = {.pattern = rows_.a.pattern, .value = {values.begin(), values.end()}},
                    .number = rows_.number};
  return Solver<T>(comm, std::move(rows), options, planned_.get());
}

#define INSTANTIATE(T) template class AnalyzedSystem<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
