#include "plan_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "trisweep/core/named.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::cli {
namespace {

std::string check_compress(const std::string& text) {
  return compress_option(text) ? "" : "takes 'auto', 'off' or a number between 0 and 1, not '" + text + "'";
}

// Replaces a device's former name by its current one.
std::string device_of_today(const std::string& name) {
  try {
    return std::string(engine::name_of(engine::find_device(name)));
  } catch (const Error&) {
    return name;
  }
}

// Options for the system and its precision, and for axes with only one choice so far, which are accepted so
// that a command line can be explicit.
void add_system_options(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  add_kind_option(sub, o.kind);
  sub.add_option("--ordering", o.ordering,
                 "Fill-reducing ordering; ptscotch: by all ranks, of which none gathers the matrix")
      ->check(CLI::IsMember(names_of(ordering::methods())))
      ->capture_default_str();
  sub.add_option("--op", o.op, "Solve with A (N), its transpose (T) or its conjugate transpose (H)")
      ->check(CLI::IsMember({"N", "T", "H"}))
      ->capture_default_str();
  sub.add_option("--precision", o.precision,
                 model::precisions().size() > 1
                     ? "Precision of matrix and factors; mixed: single-precision factors, refined in double"
                     : "Precision of matrix and factors; scripts/build makes a command with float and mixed")
      ->check(CLI::IsMember(names_of(model::precisions())))
      ->capture_default_str();
  sub.add_option(
         "--compress", o.compress,
         "Compress the factors' panels to low rank and fewer bits with this relative error, recovered by "
         "refinement; auto: the error with the fastest refined solve, or none where it does not pay")
      ->check(check_compress)
      ->capture_default_str();
  auto* const device = add_device_option(
      sub, o.device,
      "native: CPU kernels; emulated: the GPU kernels' source on the CPU; cuda, hip: one GPU per rank");
  if (purpose != Purpose::solve) device->check(CLI::IsMember({o.device}));
  if (purpose == Purpose::solve) {
    sub.add_option("--exchange-backend,--device-exchange", o.exchange_backend,
                   "Exchange of segments and vectors between devices: one-sided puts from the kernel, or MPI "
                   "between kernel launches (default: puts where available)")
        ->check(CLI::IsMember(names_of(engine::exchange_backends())));
    return;
  }
  static const std::vector<std::pair<std::string, std::string>> fixed = {{"--method", "direct"},
                                                                         {"--preconditioner", "lu"}};
  for (const auto& [name, choice] : fixed) {
    sub.add_option(name)
        ->check(CLI::IsMember({choice}))
        ->description("The only choice in this version: " + choice);
  }
}

void add_transport_option(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  auto* option =
      sub.add_option("--transport", o.transport, "Message transport: two-sided MPI, one-sided MPI (RMA)");
  option->check(CLI::IsMember(names_of(mpi::transports())));
  if (purpose == Purpose::price) {
    option->capture_default_str();
    return;
  }
  option->description(option->get_description() +
                      ", or shared memory (default: shared, where all ranks can share memory)");
}

}  // namespace

void add_kind_option(CLI::App& sub, std::string& kind) {
  sub.add_option(
         "--kind", kind,
         "Kind of factorization; ldlt: L D L^T of a symmetric, L D L^H of a Hermitian matrix, for half the "
         "memory and work of lu. Where it leads to no solution, lu follows")
      ->check(CLI::IsMember(names_of(numeric::kind_choices())))
      ->capture_default_str();
}

CLI::Option* add_device_option(CLI::App& sub, std::string& device, const std::string& description) {
  return sub.add_option("--device", device, description)
      ->check(CLI::IsMember(names_of(engine::devices())))
      ->transform(device_of_today)
      ->capture_default_str();
}

std::optional<solve::SolverOptions::Compress> compress_option(const std::string& text) {
  if (text == "off") return solve::SolverOptions::Compress{};
  if (text == "auto") return solve::SolverOptions::Compress{.automatic = true};
  char* end = nullptr;
  const double eps = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(eps > 0 && eps < 1)) return std::nullopt;
  return solve::SolverOptions::Compress{.eps = eps};
}

void add_plan_options(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  sub.add_option("--grid", o.grid_text,
                 "Process grid PXxPYxPZ, PZ a power of two; square: one layer, as square as possible; auto: "
                 "the fastest plan in the model, which also chooses --mapping to --transport where they are "
                 "not given (their defaults below are those of a given grid)")
      ->capture_default_str();
  sub.add_option(
         "--mapping", o.mapping,
         "Distribution of the factors: 2D block-cyclic in each layer of the grid, or proportional: "
         "elimination subtrees to subsets of the ranks by their size (only the number of ranks matters)")
      ->check(CLI::IsMember(names_of(distribution::mappings())))
      ->capture_default_str();
  sub.add_option("--diagonal", o.diagonal,
                 "Inverted diagonal blocks: supernodes, or whole separators (more memory, shorter critical "
                 "path; the default on one GPU)")
      ->check(CLI::IsMember(names_of(symbolic::diagonals())))
      ->capture_default_str();
  sub.add_option(
         "--schedule", o.schedule,
         "Inter-grid synchronization: single-sync: once per solve; level-sync: at every level of the "
         "separator tree; published, published-packed: the same by blocking collectives, as SuperLU_DIST")
      ->check(CLI::IsMember(names_of(plan::schedules())))
      ->capture_default_str();
  sub.add_option("--inter-grid", o.inter_grid,
                 "Inter-grid allreduce: sparse (one per solve), or one per node of the separator tree")
      ->check(CLI::IsMember(names_of(plan::inter_grids())))
      ->capture_default_str();
  sub.add_option(
         "--tree", o.tree,
         "Broadcast and reduction trees: flat: the root sends to all; binary; postal: up to five children; "
         "auto: flat for up to three ranks, else binary")
      ->check(CLI::IsMember(names_of(plan::trees())))
      ->capture_default_str();
  add_transport_option(sub, o, purpose);
  add_system_options(sub, o, purpose);
}

model::PlanAxes open_axes(const CLI::App& sub, const PlanOptions& options, Index ranks) {
  const bool on_gpus = backend::is_gpu(engine::find_device(options.device));
  model::PlanAxes axes = model::all_axes(ranks, names_of(mpi::transports()), on_gpus);
  for (const model::NamedAxis& axis : model::named_axes()) {
    if (sub.get_option(std::string("--") + axis.name)->count() > 0) axes.*axis.values = {options.*axis.value};
  }
  if (options.grid_text != "auto") axes.grid = {given_grid(options, ranks)};
  return axes;
}

void require_ranks(const distribution::ProcessGrid& grid, Index ranks) {
  if (grid.ranks() != ranks)
    throw Error(ErrorKind::usage,
                fmt::format("grid {} has {} ranks, not {}", grid.name(), grid.ranks(), ranks),
                fmt::format("give --ranks {}, or another --grid", grid.ranks()));
}

distribution::ProcessGrid given_grid(const PlanOptions& options, Index ranks) {
  if (options.grid_text == "square") return distribution::square_grid(ranks);
  const auto grid = distribution::parse_grid(options.grid_text);
  distribution::check_grid(grid, ranks);
  return grid;
}

}  // namespace trisweep::cli
