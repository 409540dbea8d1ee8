#include "plan_options.hpp"

#include <algorithm>

#include "trisweep/plan/variants.hpp"
#include "trisweep/transport/transport.hpp"

namespace trisweep::cli {
namespace {

template <class Row>
std::vector<std::string> names(std::span<const Row> table) {
  std::vector<std::string> result;
  for (const auto& row : table) result.emplace_back(row.name);
  return result;
}

// What is solved and in what precision, and axes with one choice so far: accepted, so that a command line can
// say what it means.
void add_system_options(CLI::App& sub, PlanOptions& o) {
  sub.add_option("--ordering", o.ordering, "Fill-reducing ordering")
      ->check(CLI::IsMember({"metis", "scotch", "natural"}))
      ->capture_default_str();
  sub.add_option("--op", o.op, "System to solve: A, its transpose, or its conjugate transpose")
      ->check(CLI::IsMember({"N", "T", "H"}))
      ->capture_default_str();
  sub.add_option("--precision", o.precision,
                 "Of system and factors; mixed: float factors under a double system")
      ->check(CLI::IsMember({"double", "float", "mixed"}))
      ->capture_default_str();
  static const std::vector<std::pair<std::string, std::string>> fixed = {
      {"--device", "cpu"}, {"--method", "direct"}, {"--preconditioner", "lu"}};
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
  if (purpose == Purpose::price) {
    option->check(CLI::IsMember(model::PlanAxes().transport))->capture_default_str();
    return;
  }
  option->check(CLI::IsMember(names(transport::transports())))
      ->description(option->get_description() +
                    ", by MPI or past it (default: shared, where all ranks can share memory)");
}

}  // namespace

void add_plan_options(CLI::App& sub, PlanOptions& o, Purpose purpose) {
  sub.add_option("--grid", o.grid_text,
                 "Process grid PXxPYxPZ, PZ a power of two; square: one layer, as square as "
                 "can be; auto: the fastest in the model, with all that is not given of the options below")
      ->capture_default_str();
  sub.add_option("--mapping", o.mapping,
                 "Which rank owns what: block-cyclic over the grid, or subtrees to ranks in proportion to "
                 "their size (only the number of ranks counts)")
      ->check(CLI::IsMember(names(distribution::mappings())))
      ->capture_default_str();
  sub.add_option("--diagonal", o.diagonal,
                 "Which diagonal blocks are inverted: those of supernodes, or of whole separators, which "
                 "takes memory and shortens the path through them")
      ->check(CLI::IsMember({"supernodes", "separators"}))
      ->capture_default_str();
  sub.add_option("--schedule", o.schedule,
                 "When layers of the grid talk: once per solve, or at every level of the separator tree")
      ->check(CLI::IsMember(names(plan::schedules())))
      ->capture_default_str();
  sub.add_option("--inter-grid", o.inter_grid, "How layers of the grid add up what they share")
      ->check(CLI::IsMember(names(plan::inter_grids())))
      ->capture_default_str();
  sub.add_option("--tree", o.tree, "Broadcast and reduction trees")
      ->check(CLI::IsMember(names(plan::trees())))
      ->capture_default_str();
  add_transport_option(sub, o, purpose);
  add_system_options(sub, o);
}

ordering::Method ordering_method(const std::string& name) {
  if (name == "metis") return ordering::Method::metis;
  return name == "scotch" ? ordering::Method::scotch : ordering::Method::natural;
}

model::PlanAxes open_axes(const CLI::App& sub, const PlanOptions& options, Index ranks) {
  model::PlanAxes axes = model::all_axes(ranks);
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
