// trisweep solve A.mtx ...: factors A and solves with it on a grid of ranks.

#include <fmt/format.h>

#include <filesystem>

#include "command.hpp"
#include "solve_job.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::cli {
namespace {

bool is_complex_system(const System& system) {
  return std::holds_alternative<matrix::Csr<std::complex<double>>>(system.a) ||
         (system.b && std::holds_alternative<matrix::Dense<std::complex<double>>>(*system.b));
}

Index rows_of(const matrix::AnyDense& b) {
  return std::visit([](const auto& dense) { return dense.rows; }, b);
}
Index rows_of(const matrix::AnyCsr& a) {
  return std::visit([](const auto& csr) { return csr.rows(); }, a);
}

System read_system(const SolveOptions& options, Observer& observer) {
  System system{.a = matrix::read_matrix(options.matrix, observer), .b = std::nullopt};
  if (options.rhs.empty()) return system;
  system.b = matrix::read_dense(options.rhs);
  if (rows_of(*system.b) != rows_of(system.a)) {
    throw InputError(options.rhs, 0,
                     fmt::format("the right-hand side has {} rows, but {} has {}", rows_of(*system.b),
                                 options.matrix, rows_of(system.a)),
                     "give one row per row of the matrix");
  }
  return system;
}

// Also when neither exists yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  return std::filesystem::weakly_canonical(absolute(a)) == std::filesystem::weakly_canonical(absolute(b));
}

Outputs open_outputs(const SolveOptions& options) {
  if (!options.output.empty() && !options.json.empty() && same_file(options.output, options.json)) {
    throw Error(ErrorKind::usage, fmt::format("--output and --json both name {}", options.json),
                "give each a file of its own");
  }
  Outputs outputs;
  if (!options.output.empty()) outputs.solution.emplace(options.output);
  if (!options.json.empty()) outputs.json.emplace(options.json);
  return outputs;
}

template <Scalar T, Scalar Low>
int solve_in(const Context& context, const SolveOptions& options, System system, Outputs outputs) {
  if (options.precision == "double")
    return solve_system<T, T>(context, options, std::move(system), std::move(outputs));
  if (options.precision == "mixed")
    return solve_system<T, Low>(context, options, std::move(system), std::move(outputs));
  return solve_system<Low, Low>(context, options, std::move(system), std::move(outputs));
}

int solve(const Context& context, const SolveOptions& options) {
  System system;
  Outputs outputs;
  transport::collectively(context.world, [&] {
    if (options.grid != "auto")
      distribution::check_grid(distribution::parse_grid(options.grid), context.world.size());
    if (!context.is_root()) return;
    outputs = open_outputs(options);
    system = read_system(options, context.terminal);
  });
  char complex = context.is_root() && is_complex_system(system);
  context.world.broadcast(complex);
  if (complex != 0) {
    return solve_in<std::complex<double>, std::complex<float>>(context, options, std::move(system),
                                                               std::move(outputs));
  }
  return solve_in<double, float>(context, options, std::move(system), std::move(outputs));
}

template <class Choice>
std::vector<std::string> names(std::span<const plan::Variant<Choice>> table) {
  std::vector<std::string> result;
  for (const auto& row : table) result.emplace_back(row.name);
  return result;
}

// "auto" or a number of steps.
std::string check_refine(const std::string& text) {
  const bool number =
      !text.empty() && text.size() < 5 && text.find_first_not_of("0123456789") == std::string::npos;
  return text == "auto" || number ? "" : "takes 'auto' or a number of steps, not '" + text + "'";
}

void add_plan_options(CLI::App& sub, SolveOptions& o) {
  sub.add_option("--grid", o.grid, "Process grid PXxPYxPZ, PZ a power of two; auto: one as square as can be")
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
  // Axes with one choice so far: accepted, so that a command line can say what it means.
  static const std::vector<std::pair<std::string, std::string>> fixed = {
      {"--mapping", "block-cyclic"}, {"--diagonal", "supernodes"}, {"--transport", "two-sided"},
      {"--device", "cpu"},           {"--method", "direct"},       {"--preconditioner", "lu"}};
  for (const auto& [name, choice] : fixed) {
    sub.add_option(name)
        ->check(CLI::IsMember({choice}))
        ->description("Only choice in this version: " + choice);
  }
}

}  // namespace

void add_solve(CLI::App& app, Run& run) {
  auto options = std::make_shared<SolveOptions>();
  SolveOptions& o = *options;
  CLI::App* sub = app.add_subcommand("solve", "Factor a matrix and solve with it on a grid of ranks");
  sub->add_option("matrix", o.matrix,
                  "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped")
      ->required();
  auto* rhs =
      sub->add_option("--rhs", o.rhs, "Right-hand sides from a file (default: A times a random solution)");
  sub->add_option("--nrhs", o.nrhs, "Number of right-hand sides to make up")
      ->check(CLI::Range(1, 1 << 20))
      ->excludes(rhs)
      ->capture_default_str();
  sub->add_option("-o,--output", o.output, "File for the solution (Matrix Market array)");
  sub->add_option("--json", o.json, "File for the run record");
  add_plan_options(*sub, o);
  sub->add_option("--ordering", o.ordering, "Fill-reducing ordering")
      ->check(CLI::IsMember({"metis", "scotch", "natural"}))
      ->capture_default_str();
  sub->add_option("--op", o.op, "System to solve: A, its transpose, or its conjugate transpose")
      ->check(CLI::IsMember({"N", "T", "H"}))
      ->capture_default_str();
  sub->add_option("--precision", o.precision,
                  "Of system and factors; mixed: float factors under a double system")
      ->check(CLI::IsMember({"double", "float", "mixed"}))
      ->capture_default_str();
  sub->add_option("--refine", o.refine, "Refinement steps at most; auto: as long as they help")
      ->check(check_refine)
      ->capture_default_str();
  sub->add_option("--repeat", o.repeat, "Times to solve, for the timing")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--threads", o.threads, "Threads of the factorization (default: all processors)")
      ->check(CLI::Range(1, 1024));
  sub->callback(
      [options, &run] { run = [options](const Context& context) { return solve(context, *options); }; });
}

}  // namespace trisweep::cli
