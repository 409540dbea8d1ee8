#include "trisweep/solve/usable_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/core/version.hpp"
#include "trisweep/core/watchdog.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/solve/factor_engine.hpp"

namespace trisweep::solve {
namespace {

std::string name_of(const model::PlanAxes& axes) {
  std::string name;
  for (const distribution::ProcessGrid& grid : axes.grid) name += grid.name() + " ";
  for (const model::NamedAxis& axis : model::named_axes())
    name += fmt::format("{} {} ", axis.name, fmt::join(axes.*axis.values, " "));
  return name;
}

// Throws Error(usage) for an enumeration value outside its table: callers may cast any number.
template <class Row, class Choice>
void require_choice(std::span<const Row> table, Choice Row::*choice, Choice given, const char* option) {
  if (std::ranges::find(table, given, choice) != table.end()) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is no choice of the option `{}`", static_cast<int>(given), option),
              "choose one by its name");
}

void require_choices(const SolverOptions& o) {
  require_threads(o.threads, 0);
  require_watchdog(o.watchdog);
  require_choice(ordering::methods(), &ordering::NamedMethod::method, o.ordering, "ordering");
  require_choice(numeric::kind_choices(), &numeric::NamedKindChoice::choice, o.kind, "kind");
  require_choice(block_triangular_choices(), &NamedBlockTriangular::choice, o.block_triangular,
                 "block_triangular");
  if (!is_op(o.op))
    throw Error(ErrorKind::usage, "there is no such op", "choose none, transpose or conjugate_transpose");
}

// Settings that determine plans, attempts and refinement steps; and the build, which affects rounding.
template <Scalar T>
std::array<mpi::Setting, 20> settings_of(const SolverOptions& o) {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  const char op = static_cast<char>(o.op);
  return {
      {{"scalar type", fmt::format("{}{} bytes", is_complex<T> ? "complex, " : "", sizeof(T))},
       {"build", fmt::format("{} {}, {}", version(), commit(), build_options())},
       {"plans to choose from", name_of(*o.plan)},
       {"usual transport", text(o.usual_transport)},
       {"machine", o.machine},
       {"op", std::string_view(&op, 1)},
       {"nrhs", text(o.nrhs)},
       {"ordering", text(static_cast<int>(o.ordering))},
       {"kind of factorization", text(static_cast<int>(o.kind))},
       {"factorization", o.factorization ? o.factorization->name() : "own"},
       {"mixed precision", text(o.mixed)},
       {"compression", o.compress.automatic ? "automatic" : text(o.compress.eps)},
       {"device", text(static_cast<int>(o.device))},
       {"exchange of devices", o.exchange_backend ? text(static_cast<int>(*o.exchange_backend)) : "usual"},
       {"deterministic", text(o.deterministic)},
       {"dependencies", text(o.dependencies)},
       {"watchdog", text(o.watchdog)},
       {"refinement", name_of(o.refinement)},
       {"block triangular form", text(static_cast<int>(o.block_triangular))},
       {"second try", text(o.second_try)}}};
}

// Removes transports that these ranks cannot use from the choices; if the only choice cannot be used, throws.
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

// Sets the exchange backend of devices if the caller has not. Without one-sided puts, only grids with one
// rank per layer are kept; if nothing is left, throws.
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

std::span<const NamedBlockTriangular> block_triangular_choices() {
  static constexpr std::array table{NamedBlockTriangular{"auto", BlockTriangular::automatic},
                                    NamedBlockTriangular{"on", BlockTriangular::on},
                                    NamedBlockTriangular{"off", BlockTriangular::off}};
  return table;
}

BlockTriangular find_block_triangular(std::string_view name) {
  return find_named(block_triangular_choices(), "choice of the block triangular form", name).choice;
}

std::string name_of(const RefinementOptions& options) {
  std::string name;
  for_each_field(options, [&](const char* field, auto value) {
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", field, value);
  });
  return name;
}

template <Scalar T>
SolverOptions usable_options(const mpi::Communicator& comm, const SolverOptions& given) {
  std::array<mpi::Setting, 20> settings;
  SolverOptions options = mpi::agree_on_error(comm, [&] {
    if (std::same_as<T, Single<T>> && given.mixed)
      throw Error(ErrorKind::usage, "single precision is the lowest precision of factors",
                  "use mixed precision with a matrix in double precision");
    engine::require_device(given.device);
    require_choices(given);
    SolverOptions copy = given;
    if (!copy.plan)
      copy.plan = model::all_axes(comm.size(), names_of(mpi::transports()), backend::is_gpu(given.device));
    settings = settings_of<T>(copy);
    return copy;
  });
  mpi::require_same(comm, settings);
  comm.watch(options.watchdog);
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
          .tiling = {.on_one_rank = backend::is_gpu(options.device)},
          .observer = &options.observed_by()};
}

#define INSTANTIATE(T) \
  template SolverOptions usable_options<T>(const mpi::Communicator&, const SolverOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
