#include "trisweep/solve/usable_options.hpp"

#include <algorithm>

#include "trisweep/core/named.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::solve {
namespace {

// Leaves transports that these ranks cannot have out of what there is to choose from; refuses one that is the
// only choice.
void leave_out_unusable(const mpi::Communicator& comm, model::PlanAxes& axes) {
  if (comm.size() == 1) return;
  const bool given = axes.transport.size() == 1;
  std::erase_if(axes.transport, [&](const std::string& name) {
    if (mpi::find_transport(name).always) return false;
    const std::string obstacle = mpi::obstacle(comm, name);
    if (given && !obstacle.empty()) throw mpi::CollectiveError(ErrorKind::environment, obstacle);
    return !obstacle.empty();
  });
}

// Of devices, where nobody has chosen. Without puts of theirs there are layers of one rank each to choose
// from; anything else is refused.
void choose_exchange(const mpi::Communicator& comm, SolverOptions& options) {
  const std::string obstacle = engine::obstacle_to_puts(options.device, comm);
  if (!options.exchange_backend)
    options.exchange_backend =
        obstacle.empty() ? device::ExchangeBackend::puts : device::ExchangeBackend::mpi;
  if (obstacle.empty()) return;
  model::PlanAxes& axes = *options.plan;
  std::erase_if(axes.grid, [](const auto& grid) { return grid.px * grid.py > 1; });
  std::erase_if(axes.mapping,
                [](const auto& name) { return distribution::find_mapping(name).only_ranks_count; });
  if (options.exchange_backend == device::ExchangeBackend::puts || axes.grid.empty() || axes.mapping.empty())
    throw mpi::CollectiveError(ErrorKind::environment, obstacle);
}

}  // namespace

template <Scalar T>
SolverOptions usable_options(const mpi::Communicator& comm, SolverOptions options) {
  if (std::same_as<T, Single<T>> && options.mixed)
    throw mpi::CollectiveError(ErrorKind::usage, "single precision is the lowest precision of factors",
                               "use mixed precision with a matrix in double precision");
  mpi::agree_on_error(comm, [&] {
    engine::require_device(options.device);
    require_threads(options.threads, 0);
  });
  if (!options.plan) options.plan = model::all_axes(comm.size(), names_of(mpi::transports()));
  leave_out_unusable(comm, *options.plan);
  if (options.device != engine::Device::native) choose_exchange(comm, options);
  return options;
}

TriangularSolverOptions triangular_options(const SolverOptions& options, const model::PlanChoice& choice) {
  return {.grid = choice.grid,
          .mapping = distribution::find_mapping(choice.mapping),
          .tree = plan::find_tree(choice.tree),
          .schedule = plan::find_schedule(choice.schedule).choice,
          .inter_grid = plan::find_inter_grid(choice.inter_grid),
          .transport = mpi::find_transport(choice.transport).make,
          .device = options.device,
          .exchange_backend = options.exchange_backend,
          .threads = std::max(options.threads, 1),
          .deterministic = options.deterministic,
          .dependencies = options.dependencies,
          .watchdog = options.watchdog,
          .observer = &options.observed_by()};
}

#define INSTANTIATE(T) template SolverOptions usable_options<T>(const mpi::Communicator&, SolverOptions);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
