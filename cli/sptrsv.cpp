// trisweep sptrsv L.mtx: solves with a given triangular matrix by threads of one process, on a device, or
// by several PEs in one process or several.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "command.hpp"
#include "outputs.hpp"
#include "plan_options.hpp"
#include "refuse.hpp"
#include "sptrsv_pes.hpp"
#include "system.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/report/json.hpp"
#include "trisweep/sptrsv/backward_error.hpp"
#include "trisweep/sptrsv/device_solver.hpp"
#include "trisweep/sptrsv/shape.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

using sptrsv::LowerSystem;

struct SptrsvOptions : SystemFiles {
  std::string op = "N", precision = "double", device = "native";
  sptrsv::RowSolverOptions solver;
  int repeat = 10;
  bool unit = false;
  PeStudy pes;
};

std::string described_algorithms() {
  return "auto: the fastest by estimate; " + described(sptrsv::algorithms()) +
         "; on a device: " + described(sptrsv::device_algorithms()) +
         "; with --pes, on any device, and without auto: " + described(studies::designs());
}

struct Times {
  double analysis = 0;
  std::vector<double> solve;  // ascending
  double median() const { return solve[solve.size() / 2]; }
};

// The chosen algorithm, the reason for the choice, and the size of its schedule, in words.
struct Algorithm {
  std::string name, reason, size;
};

template <Scalar T>
class Sptrsv {
 public:
  Sptrsv(const SptrsvOptions& options, const Context& context)
      : options_(options),
        context_(context),
        terminal_(context.terminal),
        op_(static_cast<Op>(options.op.front())),
        device_(engine::find_device(options.device)) {
    require_distinct(
        std::array<FileOption, 2>{{{"--output", options.output}, {"--json", options.json}}},
        std::array<FileOption, 3>{
            {{"matrix", options.matrix}, {"--rhs", options.rhs}, {"--machine", options.pes.machine}}});
    if (!context.is_root()) return;
    output_ = open_output(options.output);
    json_ = open_output(options.json);
  }

  // `self`: a communicator of this process alone.
  int run(const mpi::Communicator& self, AnySystem read) {
    const System<T> given = take_system<T>(self, std::move(read), op_, options_.nrhs);
    const matrix::Csr<T>& a = given.a.a;
    const sptrsv::Form form{.upper = sptrsv::form_of(a.pattern).upper, .unit = options_.unit};
    matrix::Dense<T> x{.rows = a.rows(), .cols = given.nrhs, .value = std::vector<T>(given.b.size())};
    const Vectors<const T> from(given.b.data(), a.rows(), given.nrhs);

    const LowerSystem<T> system = sptrsv::lower_system(a, form, op_);
    if (options_.pes.pes > 0) {
      pes_.emplace(options_.pes, options_.solver.algorithm);
      solve_by_pes(system, from, {x.value.data(), x.rows, x.cols});
    } else if (device_ == engine::Device::native) {
      solve_by_threads(a, form, from, {x.value.data(), x.rows, x.cols});
    } else {
      solve_on_device(a, form, from, {x.value.data(), x.rows, x.cols});
    }
    error_ = sptrsv::backward_error<T>(system, from, {x.value.data(), x.rows, x.cols});
    shape_ = sptrsv::shape_of(system.below);
    write(x, record(a, form, given.nrhs));
    terminal_.print_beside({options_.output, options_.json}, summary(a, form));
    if (solved()) return 0;
    terminal_.error(fmt::format(
        "the solution is not finite or does not satisfy its equations: backward error {:.1e}", error_));
    return 1;
  }

 private:
  bool solved() const {
    return error_ <= (shape_.most_dependencies + 10.0) * double(std::numeric_limits<RealOf<T>>::epsilon());
  }

  void solve_by_threads(const matrix::Csr<T>& a, sptrsv::Form form, Vectors<const T> b, Vectors<T> x) {
    const auto start = Clock::now();
    sptrsv::RowSolver<T> solver(a, form, options_.solver);
    solver.prepare(op_, b.cols);
    times_.analysis = seconds_since(start);
    time_solves([&] { solver.solve(b, x, op_); });
    const sptrsv::Choice& choice = solver.choice(op_);
    algorithm_ = {choice.algorithm, choice.reason,
                  fmt::format("{} blocks, {} waits", choice.blocks, choice.waits)};
    details_ = {{"threads", options_.solver.threads}, {"blocks", choice.blocks}, {"waits", choice.waits}};
  }
  void solve_on_device(const matrix::Csr<T>& a, sptrsv::Form form, Vectors<const T> b, Vectors<T> x) {
    const auto start = Clock::now();
    sptrsv::DeviceSolver<T> solver(
        a, form, op_,
        {.device = device_, .algorithm = options_.solver.algorithm, .threads = options_.solver.threads});
    times_.analysis = seconds_since(start);
    time_solves([&] { solver.solve(b, x); });
    const sptrsv::DeviceChoice& choice = solver.choice();
    const auto launches = choice.plan.launch.size();
    algorithm_ = {choice.algorithm, choice.reason,
                  fmt::format("{} launches, {} lanes a row", launches, choice.plan.lanes)};
    details_ = {{"threads", options_.solver.threads}, {"launches", launches}, {"lanes", choice.plan.lanes}};
  }
  void solve_by_pes(const LowerSystem<T>& system, Vectors<const T> b, Vectors<T> x) {
    if (is_predicted()) return pes_->template predict<T>(system, b, x);
    const auto start = Clock::now();
    auto solver = pes_->on_device(system, device_, options_.solver.threads, context_.world);
    times_.analysis = seconds_since(start);
    time_solves([&] { pes_->set(solver.solve(b, x)); });
    algorithm_ = {options_.solver.algorithm, "", pes_->size()};
    details_ = pes_->details();
    details_["threads"] = options_.solver.threads;
  }
  bool is_predicted() const { return pes_ && device_ == engine::Device::native; }
  template <class Solve>
  void time_solves(const Solve& solve) {
    for (int r = 0; r < options_.repeat; ++r) {
      terminal_.progress("solve", double(r) / options_.repeat);
      const auto begin = Clock::now();
      solve();
      times_.solve.push_back(seconds_since(begin));
    }
    std::ranges::sort(times_.solve);
  }

  nlohmann::ordered_json record(const matrix::Csr<T>& a, sptrsv::Form form, Index nrhs) const {
    nlohmann::ordered_json record{
        {"version", version()},
        {"machine", report::to_json_object(report::this_machine())},
        {"matrix", report::to_json_object({options_.matrix, a.rows(), a.nonzeros()})},
        {"sptrsv",
         {{"triangle", form.upper ? "upper" : "lower"},
          {"unit_diagonal", form.unit},
          {"levels", shape_.levels},
          {"parallelism", shape_.parallelism},
          {"dependency", shape_.dependency}}},
        {"solve",
         {{"nrhs", nrhs},
          {"op", options_.op},
          {"precision", options_.precision},
          {"componentwise_backward_error", error_}}}};
    if (is_predicted()) {
      pes_->add_prediction_to(record);
      return record;
    }
    record["sptrsv"].update({{"algorithm", algorithm_.name},
                             {"reason", algorithm_.reason},
                             {"device", options_.device},
                             {"bytes", sptrsv::bytes_of_solve(a)},
                             {"analysis_seconds", times_.analysis}});
    record["sptrsv"].update(details_);
    record["solve"].update({{"repeats", options_.repeat},
                            {"seconds_min", times_.solve.front()},
                            {"seconds_median", times_.median()}});
    return record;
  }

  // Writes both files before either becomes visible.
  void write(const matrix::Dense<T>& x, const nlohmann::ordered_json& record) {
    if (output_ && solved()) matrix::write_matrix_market(*output_, x);
    if (json_) json_->write(report::to_text(record));
    if (output_ && solved()) output_->commit();
    if (json_) json_->commit();
  }

  std::string summary(const matrix::Csr<T>& a, sptrsv::Form form) const {
    std::string text = fmt::format("matrix    {}: {} rows, {} nonzeros, {} triangular\n", options_.matrix,
                                   a.rows(), a.nonzeros(), form.upper ? "upper" : "lower");
    text += fmt::format("shape     {} levels, {:.3g} rows a level, {:.3g} nonzeros a row\n", shape_.levels,
                        shape_.parallelism, shape_.dependency);
    text +=
        is_predicted() ? pes_->summary_of_prediction() : summary_of_solves(double(sptrsv::bytes_of_solve(a)));
    if (pes_) text += pes_->summary_of_pes();
    return text + fmt::format("accuracy  componentwise backward error {:.1e}\n", error_);
  }

  std::string summary_of_solves(double bytes) const {
    return fmt::format(
        "analysis  {:.3g} ms: {}, {}{}\n"
        "solve     {:.3g} ms: {:.3g} GB/s of the matrix and vectors, {} threads{}\n",
        1e3 * times_.analysis, algorithm_.name, algorithm_.size,
        algorithm_.reason.empty() ? "" : fmt::format(" ({})", algorithm_.reason), 1e3 * times_.median(),
        bytes * 1e-9 / times_.median(), options_.solver.threads,
        device_ == engine::Device::native ? "" : ", device " + options_.device);
  }

  const SptrsvOptions& options_;
  const Context& context_;
  Terminal& terminal_;
  Op op_;
  engine::Device device_;
  std::optional<OutputFile> output_, json_;
  Times times_;
  Algorithm algorithm_;
  nlohmann::ordered_json details_;
  std::optional<PeRun> pes_;
  sptrsv::Shape shape_;
  double error_ = 0;
};

int solve_as_asked(const SptrsvOptions& options, const Context& context) {
  const mpi::Communicator self(MPI_COMM_SELF);
  AnySystem read = read_system(self, options, context.terminal);
  return matrix::with_scalar(read.complex, [&]<Scalar T>(T) {
    if (model::find_precision(options.precision).single_system)
      return Sptrsv<Single<T>>(options, context).run(self, std::move(read));
    return Sptrsv<T>(options, context).run(self, std::move(read));
  });
}

// Refuses options that have no effect with this device or algorithm, and --pes without a design.
void check_options(const CLI::App& sub, const SptrsvOptions& options) {
  const std::string device = "--device " + options.device;
  if (options.device == "native" && options.pes.pes > 0)
    refuse(sub, {"--threads", "--repeat"}, "predictions by --pes", "solve on a --device, such as emulated");
  if (options.device != "native") {
    refuse(sub, {"--solves"}, device, "use --device native");
    if (options.device != "emulated") refuse(sub, {"--threads"}, device, "use --device emulated");
  }
  if (options.pes.pes > 0 && options.solver.algorithm == "auto")
    throw Error(ErrorKind::usage, "--pes solves by one design, and none is chosen",
                fmt::format("give --algorithm one of {}", fmt::join(names_of(studies::designs()), ", ")));
  if (options.pes.pes > 0 || options.solver.algorithm != "auto")
    refuse(sub, {"--solves"}, "--algorithm " + options.solver.algorithm, "use --algorithm auto");
}

int sptrsv(const CLI::App& sub, const SptrsvOptions& options, const Context& context) {
  int status = 0;
  mpi::agree_on_error(context.world, [&] {
    check_options(sub, options);
    if (context.world.size() > 1 && (options.pes.pes == 0 || options.device == "native"))
      throw Error(
          ErrorKind::usage, "sptrsv solves by threads of one process",
          "start it without mpirun, with --threads; with a PE on each rank, by --pes and --device; or "
          "solve with the whole matrix: trisweep solve");
    status = solve_as_asked(options, context);
  });
  return status;
}

}  // namespace

void add_sptrsv(CLI::App& app, Run& run) {
  auto options = std::make_shared<SptrsvOptions>();
  SptrsvOptions& o = *options;
  CLI::App* sub =
      app.add_subcommand("sptrsv", "Solve with a sparse triangular matrix, without a factorization");
  add_system_files(*sub, o);
  sub->add_option("--algorithm", o.solver.algorithm, described_algorithms())->capture_default_str();
  sub->add_option("--threads", o.solver.threads, "Threads; per PE with --pes and --device emulated")
      ->check(CLI::Range(1, most_threads))
      ->capture_default_str();
  sub->add_option("--solves", o.solver.solves,
                  "Expected number of solves, by which --algorithm auto weighs analysis against solve time")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  add_pe_options(*sub, o.pes);
  add_device_option(
      *sub, o.device,
      "native: CPU kernels; emulated: the GPU kernels' source on CPU threads; cuda, hip: a GPU");
  sub->add_option("--op", o.op, "Solve with the matrix (N), its transpose (T) or its conjugate transpose (H)")
      ->check(CLI::IsMember({"N", "T", "H"}))
      ->capture_default_str();
  sub->add_option("--precision", o.precision, "Precision of values and sums")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  sub->add_flag("--unit-diagonal", o.unit, "Unit diagonal, whether stored or not");
  sub->add_option("--repeat", o.repeat, "Number of timed solves")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->callback([options, sub, &run] {
    run = [options, sub](const Context& context) { return sptrsv(*sub, *options, context); };
  });
}

}  // namespace trisweep::cli
