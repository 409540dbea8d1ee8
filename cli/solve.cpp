// trisweep solve A.mtx ...: factors A and solves with it on a grid of ranks.

#include <fmt/format.h>

#include <array>
#include <limits>

#include "command.hpp"
#include "krylov_options.hpp"
#include "numbers.hpp"
#include "outputs.hpp"
#include "refuse.hpp"
#include "saved_factors.hpp"
#include "solve_job.hpp"
#include "system.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/model/precision.hpp"

namespace trisweep::cli {
namespace {

constexpr double usual_in_single = 1e-5;  // --tolerance

Outputs open_outputs(const SolveOptions& options) {
  require_distinct(std::array<FileOption, 4>{{{"--output", options.output},
                                              {"--json", options.json},
                                              {"--trace", options.trace},
                                              {"--traffic", options.traffic}}},
                   std::array<FileOption, 5>{{{"matrix", options.matrix},
                                              {"--factors", options.factors},
                                              {"--rhs", options.rhs},
                                              {"--rows", options.rows},
                                              {"--machine", options.machine}}});
  return {.solution = open_output(options.output),
          .json = open_output(options.json),
          .trace = open_output(options.trace),
          .traffic = open_output(options.traffic)};
}

template <Scalar T>
int solve_in(const Context& context, const SolveOptions& options, AnySystem read, Outputs outputs) {
  auto system =
      take_system<T>(context.world, std::move(read), static_cast<Op>(options.op.front()), options.nrhs);
  return options.method == direct
             ? solve_system(context, options, std::move(system), std::move(outputs))
             : solve_iteratively(context, options, std::move(system), std::move(outputs));
}

template <Scalar T>
int solve_as_asked(const Context& context, const SolveOptions& options, AnySystem system, Outputs outputs) {
  const bool single = model::find_precision(options.precision).single_system;
  return single ? solve_in<Single<T>>(context, options, std::move(system), std::move(outputs))
                : solve_in<T>(context, options, std::move(system), std::move(outputs));
}

int solve(const Context& context, const SolveOptions& options) {
  Outputs outputs;
  mpi::agree_on_error(context.world, [&] {
    if (context.is_root()) outputs = open_outputs(options);
  });
  AnySystem system = read_system(context.world, options, context.terminal);
  return matrix::with_scalar(system.complex, [&]<Scalar T>(T) {
    return solve_as_asked<T>(context, options, std::move(system), std::move(outputs));
  });
}

double epsilon_of(const SolveOptions& options) {
  return model::find_precision(options.precision).single_system ? std::numeric_limits<float>::epsilon()
                                                                : std::numeric_limits<double>::epsilon();
}

// Refuses options that only the CPU engine supports.
void check_device(const CLI::App& sub, const SolveOptions& options) {
  const engine::Device device = engine::find_device(options.device);
  if (device == engine::Device::native) {
    refuse(sub, {"--exchange-backend"}, "--device native", "say how messages travel by --transport");
    return;
  }
  engine::require_device(device);
  refuse(sub, {"--transport", "--trace", "--traffic", "--no-dependencies", "--block-triangular"},
         "--device " + options.device, "use --device native");
}

// Refuses options for factors with preconditioners that have none.
void check_preconditioner(const CLI::App& sub, const SolveOptions& options) {
  const auto& chosen = find_named(solve::preconditioners(), "preconditioner", options.preconditioner);
  if (chosen.kind == solve::Preconditioning::lu) return;
  const std::string choice = "--preconditioner " + options.preconditioner;
  constexpr const char* remedy = "use --preconditioner lu";
  refuse(sub,
         {"--mapping", "--diagonal", "--schedule", "--inter-grid", "--tree", "--transport", "--ordering",
          "--kind", "--factorization", "--block-triangular", "--compress", "--exchange-backend", "--machine",
          "--deterministic", "--watchdog"},
         choice, remedy);
  if (options.device != "native") refuse(sub, {"--device"}, choice, remedy);
  if (model::find_precision(options.precision).mixed())
    throw Error(ErrorKind::usage, "--precision mixed cannot be combined with " + choice, remedy);
}

// Refuses options for direct solves with an iterative method, and the reverse.
void check_method(const CLI::App& sub, const SolveOptions& options) {
  const std::string choice = "--method " + options.method;
  check_pipelining_options(sub, options.method);
  if (options.method == direct) {
    constexpr const char* remedy = "use an iterative --method";
    refuse(sub, {"--tolerance", "--max-iterations"}, choice, remedy);
    if (options.preconditioner != solve::preconditioners().front().name)
      refuse(sub, {"--preconditioner"}, choice, remedy);
    if (options.no_dependencies)
      refuse(sub, {"--refine", "--rows"}, "--no-dependencies",
             "leave one of them out: no answer is to be refined");
    return;
  }
  refuse(sub, {"--trace", "--traffic", "--no-dependencies", "--repeat", "--refine", "--factors", "--rows"},
         choice, "use --method direct");
  check_preconditioner(sub, options);
  check_tolerance("--tolerance", options.krylov.tolerance, epsilon_of(options));
}

// Sets the options that saved factors determine.
void take_options_of_factors(const Context& context, const CLI::App& sub, SolveOptions& options) {
  if (options.factors.empty()) return;
  mpi::agree_on_error(context.world, [&] {
    refuse(sub, {"--precision", "--ordering", "--kind", "--diagonal", "--block-triangular"}, "--factors",
           "leave it out: it is as the factors were made");
    if (context.is_root()) options.precision = factored_precision(options.factors);
  });
  context.world.broadcast(options.precision);
}

// Refuses options that another library's factorization determines.
void check_factorization(const CLI::App& sub, const SolveOptions& options) {
  const NamedFactorization& by_name = named_factorization(options.factorization);
  if (by_name.engine == nullptr) return;
  static_cast<void>(by_name.engine());
  const std::string by = "--factorization " + options.factorization;
  refuse(sub, {"--diagonal"}, by, "leave it out: supernodes of these factors are inverted");
  refuse(sub, {"--block-triangular"}, by, "leave it out: these factors are of the whole matrix");
  refuse(sub, {"--kind"}, by, "leave it out: these are L and U");
}

// Sets the plans that the model may choose from, on every rank, and solves.
int solve_with_axes(const Context& context, const CLI::App& sub, SolveOptions options) {
  take_options_of_factors(context, sub, options);
  mpi::agree_on_error(context.world, [&] {
    const Index ranks = context.world.size();
    if (sub.count("--tolerance") == 0 && model::find_precision(options.precision).single_system)
      options.krylov.tolerance = usual_in_single;
    check_device(sub, options);
    check_method(sub, options);
    check_factorization(sub, options);
    options.transport_given = sub.count("--transport") > 0;
    if (options.grid_text == "auto") {
      options.axes = open_axes(sub, options, ranks);
    } else {
      options.grid = given_grid(options, ranks);
      options.axes = model::only(options);
    }
  });
  return solve(context, options);
}

// Accepts "auto", "best" or a number of steps.
std::string check_refine(const std::string& text) {
  int steps = 0;
  if (text == "auto" || text == "best" || (CLI::detail::lexical_cast(text, steps) && steps >= 0)) return "";
  return fmt::format("takes 'auto', 'best' or a number of steps from 0 to {}, not '{}'",
                     std::numeric_limits<int>::max(), text);
}

void add_method_options(CLI::App& sub, SolveOptions& o) {
  std::vector<std::string> names = names_of(krylov::methods<double>());
  names.insert(names.begin(), std::string(direct));
  sub.add_option("--method", o.method,
                 "direct: the factors, with refinement; others: preconditioned iteration")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  sub.add_option("--preconditioner", o.preconditioner,
                 "Preconditioner of iterative methods: " + described(solve::preconditioners()))
      ->check(CLI::IsMember(names_of(solve::preconditioners())))
      ->capture_default_str();
  sub.add_option("--tolerance", o.krylov.tolerance,
                 fmt::format("Relative residual ||b - A x||_2 / ||b||_2 at which iterative methods stop "
                             "(default {:.0e} in single precision)",
                             usual_in_single))
      ->check(check_below_one)
      ->capture_default_str();
  sub.add_option("--max-iterations", o.krylov.max_iterations,
                 "Maximum number of iterations of iterative methods")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  add_pipelining_options(sub, o.krylov);
}

// Options to observe a run, and to change its behaviour in studies.
void add_study_options(CLI::App& sub, SolveOptions& o) {
  sub.add_option("--trace", o.trace,
                 "Write a trace of one additional solve to this file (Perfetto, ui.perfetto.dev)");
  sub.add_option("--traffic", o.traffic,
                 "Write messages and bytes by sender and receiver to this file (CSV)");
  sub.add_flag("--deterministic", o.deterministic,
               "Fixed summation order: bitwise reproducible results on one grid");
  sub.add_flag("--no-dependencies", o.no_dependencies,
               "Run the same messages and products without dependencies, and without a solution (a study)")
      ->excludes(sub.get_option("--output"));
  sub.add_option("--watchdog", o.watchdog,
                 "Seconds without progress after which a solve fails, with a list of the missing messages "
                 "(300; inf: never)")
      ->check([](const std::string& text) { return text == "inf" ? "" : check_positive(text); });
}

}  // namespace

void add_solve(CLI::App& app, Run& run) {
  auto options = std::make_shared<SolveOptions>();
  SolveOptions& o = *options;
  CLI::App* sub = app.add_subcommand("solve", "Factor a matrix and solve with it on a grid of ranks");
  add_system_files(*sub, o);
  sub->get_option("matrix")->required(false);
  sub->add_option("--factors", o.factors,
                  "Folder written by trisweep factor, in place of the matrix or to solve it with");
  add_plan_options(*sub, o, Purpose::solve);
  sub->add_option(
         "--block-triangular", o.block_triangular,
         "Factor only the diagonal blocks of the block triangular form: auto: where that saves much; on: "
         "wherever there is such a form")
      ->check(CLI::IsMember(names_of(solve::block_triangular_choices())))
      ->capture_default_str();
  sub->add_option(
         "--factorization", o.factorization,
         "Parallel factorization: own: rank 0 gathers the matrix, unless all ranks order it (--ordering "
         "ptscotch); superlu-dist: by SuperLU_DIST, where no rank gathers the matrix")
      ->check(CLI::IsMember(names_of(factorizations())))
      ->excludes("--factors")
      ->capture_default_str();
  sub->add_option("--machine", o.machine,
                  "Machine model that the plan is chosen for: a name (see trisweep machines) or a .json file "
                  "(default: generic, with this job's ranks per node)");
  sub->add_option("--refine", o.refine,
                  "Iterative refinement: auto: until the backward error is below 10 epsilon; best: as long "
                  "as it helps; or the maximum number of steps")
      ->check(check_refine)
      ->capture_default_str();
  sub->add_option(
      "--rows", o.rows,
      "Compute only these entries of the solution: a file with one row index per line, counted from 1");
  sub->add_option("--repeat", o.repeat, "Number of timed solves")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--threads", o.threads,
                  "Threads per rank (default: as many of the rank's processors as make it faster)")
      ->check(CLI::Range(1, most_threads));
  add_method_options(*sub, o);
  add_study_options(*sub, o);
  sub->callback([options, sub, &run] {
    if (options->given().empty()) throw CLI::RequiredError("matrix or --factors");
    run = [options, sub](const Context& context) { return solve_with_axes(context, *sub, *options); };
  });
}

}  // namespace trisweep::cli
