#include "plan_options.hpp"

#include <algorithm>
#include <cstdlib>

#include "trisweep/core/named.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/symbolic/diagonals.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::cli {
namespace {

std::string check_compress(const std::string& text) {
  return compress_option(text) ? "" : "takes 'auto', 'off' or a number between 0 and 1, not '" + text + "'";
}

// What is solved and in what precision, and axes with one choice so far: accepted, so that a command line can
// say what it means.
void add_system_options(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  sub.add_option("--ordering", o.ordering, "Fill-reducing ordering")
      ->check(CLI::IsMember(names_of(ordering::methods())))
      ->capture_default_str();
  sub.add_option("--op", o.op, "System to solve: A, its transpose, or its conjugate transpose")
      ->check(CLI::IsMember({"N", "T", "H"}))
      ->capture_default_str();
  sub.add_option("--precision", o.precision,
                 "Of system and factors; mixed: float factors under a double system")
      ->check(CLI::IsMember(names_of(model::precisions())))
      ->capture_default_str();
  sub.add_option("--compress", o.compress,
                 "Panels of the factors in low rank and few bytes, off by at most that share of each; auto: "
                 "as is read fastest until the answer, where that pays; refinement makes up for it")
      ->check(check_compress)
      ->capture_default_str();
  sub.add_option(
         "--device", o.device,
         "What computes: the processors; they again by the source of the GPUs' kernel; or a GPU of each rank")
      ->check(CLI::IsMember(purpose == Purpose::solve ? names_of(engine::devices()) : std::vector{o.device}))
      ->capture_default_str();
  if (purpose == Purpose::solve) {
    sub.add_option(
           "--device-exchange", o.device_exchange,
           "How devices exchange what layers of the grid share, and vectors: by puts of their own, or by "
           "MPI between launches (default: puts, where ranks can have them)")
        ->check(CLI::IsMember(names_of(engine::carriers())));
    return;
  }
  static const std::vector<std::pair<std::string, std::string>> fixed = {{"--method", "direct"},
                                                                         {"--preconditioner", "lu"}};
  for (const auto& [name, choice] : fixed) {
    sub.add_option(name)
        ->check(CLI::IsMember({choice}))
        ->description("Only choice in this version: " + choice);
  }
}

void add_transport_option(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  auto* option =
      sub.add_option("--transport", o.transport,
                     "How messages travel: sent and received, or written into the receiver's memory");
  option->check(CLI::IsMember(names_of(transport::transports())));
  if (purpose == Purpose::price) {
    option->capture_default_str();
    return;
  }
  option->description(option->get_description() +
                      ", by MPI or past it (default: shared, where all ranks can share memory)");
}

}  // namespace

std::optional<solve::Options::Compress> compress_option(const std::string& text) {
  if (text == "off") return solve::Options::Compress{};
  if (text == "auto") return solve::Options::Compress{.automatic = true};
  char* end = nullptr;
  const double eps = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(eps > 0 && eps < 1)) return std::nullopt;
  return solve::Options::Compress{.eps = eps};
}

void add_plan_options(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  sub.add_option("--grid", o.grid_text,
                 "Process grid PXxPYxPZ, PZ a power of two; square: one layer, as square as "
                 "can be; auto: the fastest in the model, with all that is not given of the options below")
      ->capture_default_str();
  sub.add_option("--mapping", o.mapping,
                 "Which rank owns what: block-cyclic over the grid, or subtrees to ranks in proportion to "
                 "their size (only the number of ranks counts)")
      ->check(CLI::IsMember(names_of(distribution::mappings())))
      ->capture_default_str();
  sub.add_option("--diagonal", o.diagonal,
                 "Which diagonal blocks are inverted: those of supernodes, or of whole separators, which "
                 "takes memory and shortens the path through them")
      ->check(CLI::IsMember(names_of(symbolic::diagonals())))
      ->capture_default_str();
  sub.add_option("--schedule", o.schedule,
                 "When layers of the grid talk: once per solve, or at every level of the separator tree")
      ->check(CLI::IsMember(names_of(plan::schedules())))
      ->capture_default_str();
  sub.add_option("--inter-grid", o.inter_grid, "How layers of the grid add up what they share")
      ->check(CLI::IsMember(names_of(plan::inter_grids())))
      ->capture_default_str();
  sub.add_option("--tree", o.tree, "Broadcast and reduction trees")
      ->check(CLI::IsMember(names_of(plan::trees())))
      ->capture_default_str();
  add_transport_option(sub, o, purpose);
  add_system_options(sub, o, purpose);
}

model::PlanAxes open_axes(const CLI::App& sub, const PlanOptions& options, Index ranks) {
  model::PlanAxes axes = model::all_axes(ranks, names_of(transport::transports()));
  for (const model::NamedAxis& axis : model::named_axes()) {
    if (sub.get_option(std::string("--") + axis.name)->count() > 0) axes.*axis.values = {options.*axis.value};
  }
  if (options.grid_text != "auto") axes.grid = {given_grid(options, ranks)};
  return axes;
}

distribution::ProcessGrid given_grid(const PlanOptions& options, Index ranks) {
  if (options.grid_text == "square") return distribution::square_grid(ranks);
  const auto grid = distribution::parse_grid(options.grid_text);
  distribution::check_grid(grid, ranks);
  return grid;
}

}  // namespace trisweep::cli
