#include "plan_options.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace

void add_plan_options(CLI::App& sub, PlanOptions& o) {
  sub.add_option("--grid", o.grid, "Process grid PXxPYxPZ, PZ a power of two; auto: one as square as can be")
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
  sub.add_option("--transport", o.transport,
                 "How messages travel: sent and received, or written into the receiver's memory")
      ->check(CLI::IsMember(names(transport::transports())))
      ->capture_default_str();
  add_system_options(sub, o);
}

ordering::Method ordering_method(const std::string& name) {
  if (name == "metis") return ordering::Method::metis;
  return name == "scotch" ? ordering::Method::scotch : ordering::Method::natural;
}

solve::AnalysisOptions analysis_options(const PlanOptions& options, Index ranks) {
  solve::AnalysisOptions analysis;
  analysis.ordering.method = ordering_method(options.ordering);
  const int levels = std::bit_width(static_cast<unsigned>(ranks - 1));
  analysis.ordering.tree_levels = std::max(analysis.ordering.tree_levels, levels);
  if (options.diagonal == "separators") analysis.symbolic.whole_levels = std::max(levels, 1);
  return analysis;
}

plan::PlanSpec plan_spec(const PlanOptions& options, bool cholesky) {
  return {.op = static_cast<Op>(options.op.front()),
          .upper_is_lower = cholesky,
          .tree = plan::find_tree(options.tree),
          .inter_grid = plan::find_inter_grid(options.inter_grid)};
}

report::PlanRecord plan_record(const PlanOptions& options, const distribution::ProcessGrid& grid) {
  return {.px = grid.px,
          .py = grid.py,
          .pz = grid.pz,
          .mapping = options.mapping,
          .schedule = options.schedule,
          .inter_grid = options.inter_grid,
          .tree = options.tree,
          .diagonal = options.diagonal,
          .transport = options.transport,
          .device = "cpu"};
}

}  // namespace trisweep::cli
