// The trisweep command: parses the command line on every rank, runs one subcommand, and ends with the same
// exit status everywhere: 0 done, 1 a numerical failure, 2 wrong use or bad input.

#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <sstream>
#include <thread>

#include "command.hpp"
#include "external.hpp"
#include "single_process.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/mpi/watchdog.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

constexpr int exit_wrong_use = 2;

struct MpiSession {
  MpiSession(int* argc, char*** argv) { begin_mpi(argc, argv, MPI_THREAD_SERIALIZED); }
  ~MpiSession() { MPI_Finalize(); }
};

// Ends the whole job after an error on this rank alone, for which other ranks may be waiting.
[[noreturn]] void abort_job(const mpi::Communicator& world, int status, const std::string& text) {
  const bool alone = world.size() == 1;
  Terminal(true).error(alone ? text : fmt::format("rank {}: {}", world.rank(), text));
  std::fflush(nullptr);
  if (!alone) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  std::_Exit(status);
}

std::string command_names(const std::vector<const CLI::App*>& commands) {
  std::string names;
  for (const CLI::App* command : commands)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", command->get_name());
  return names;
}

// The parser's message, or our own if the first word is not a command.
std::string wrong_use(const CLI::App& app, const CLI::ParseError& e, const char* first_word) {
  if (const auto chosen = app.get_subcommands(); !chosen.empty())
    return fmt::format("{}\n  remedy: see trisweep {} --help", e.what(), chosen.front()->get_name());
  if (first_word != nullptr && is_of_python_package(first_word)) {
    return fmt::format(
        "the program trisweep-{0} was not found\n"
        "  remedy: the Python package has the command {0}; make it with scripts/build --python",
        first_word);
  }
  if (first_word != nullptr && is_left_out(first_word)) {
    return fmt::format(
        "this build of trisweep solves systems alone, without {}\n  remedy: make the rest by scripts/build",
        first_word);
  }
  const std::string commands = command_names(app.get_subcommands(nullptr));
  return fmt::format(
      "{}\n  remedy: give one of the commands {}; see trisweep --help",
      first_word == nullptr ? "no command was given" : fmt::format("there is no command '{}'", first_word),
      commands);
}

// Parses the command line; returns the text of --help or --version if these are given.
std::optional<std::string> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      throw Error(ErrorKind::usage, wrong_use(app, e, argc > 1 ? argv[1] : nullptr));
    std::ostringstream text;
    app.exit(e, text, text);
    return text.str();
  }
}

// Throws if the ranks have different command lines: they would wait for each other.
void require_same_command(const mpi::Communicator& world, int argc, char** argv) {
  std::string words;
  for (int i = 1; i < argc; ++i) words += fmt::format("{}{}", i > 1 ? " " : "", argv[i]);
  const mpi::Setting command("the command line", words);
  mpi::require_same(world, {&command, 1});
}

bool is_built_in(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands(nullptr);
  return std::ranges::any_of(commands, [&](const CLI::App* command) { return command->check_name(name); });
}

// Runs the program of an external command, and then does not return.
void run_if_external(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || is_built_in(app, argv[1])) return;
  if (const auto program = find_external(argv[1])) run_external(*program, argv);
}

void add_commands(CLI::App& app, Run& run) {
  add_studies(app, run);
  add_doctor(app, run);
  add_gallery(app, run);
  add_info(app, run);
  add_machines(app, run);
  add_pingpong(app, run);
  add_plan(app, run);
  add_predict(app, run);
  add_shell_support(app, run);
  add_solve(app, run);
  add_tune(app, run);
}

// Refuses empty values of options and positionals: most often they come from an unset shell variable, and
// would count as an option that is not given.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->check([](const std::string& value) { return value.empty() ? "its value is empty" : ""; });
  }
}

int run_command(int argc, char** argv) {
  CLI::App app("Distributed sparse triangular solves: factor once, solve many times.", "trisweep");
  app.set_version_flag("--version", trisweep::version());
  app.require_subcommand(1);
  Run run;
  add_commands(app, run);
  app.footer(list_of_externals);
  bool quiet = false;
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    command->add_flag("--quiet", quiet, "No progress and no summary");
    refuse_empty_values(*command);
  }
  try {
    run_if_external(app, argc, argv);
  } catch (const Error& e) {
    Terminal(true).error(e.what());
    return e.exit_status();
  }

  const numeric::OneBlasThread one_blas_thread;
  const MpiSession session(&argc, &argv);
  const mpi::Communicator world(MPI_COMM_WORLD);
  const mpi::LongWork long_work(world);  // on rank 0, which reads and writes the files
  Terminal terminal(world.rank() == 0);
  try {
    const auto text = mpi::agree_on_error(world, [&] { return parse(app, argc, argv); });
    require_same_command(world, argc, argv);
    if (quiet) terminal.be_quiet();
    int status = 0;
    if (text) {
      terminal.print(*text);
    } else {
      status = run({world, terminal});
    }
    mpi::agree_on_error(world, [&] { terminal.require_printed(); });
    return status;
  } catch (const mpi::CollectiveError& e) {
    terminal.error(e.what());
    return e.exit_status();
  } catch (const mpi::Stalled& e) {
    // Other ranks stall as well. This one waits a second, so that each can print what it waits for.
    Terminal(true).error(fmt::format("rank {}: {}", world.rank(), e.what()));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    MPI_Abort(MPI_COMM_WORLD, e.exit_status());
    std::_Exit(e.exit_status());
  } catch (const Error& e) {
    abort_job(world, e.exit_status(), e.what());
  } catch (const std::exception&) {
    abort_job(world, exit_wrong_use, mpi::current_failure().message());
  }
}

// The handler that exit() runs first. OpenBLAS's handlers wait for its threads, and a thread that was refused
// memory for its buffer retries forever. So the other handlers run only if, as far as can be told, no memory
// was refused.
void leave(int status, void*) {
  rlimit addresses{};
  const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  if (status == 0 && !limited) return;
  std::fflush(nullptr);
  std::_Exit(status);
}

// Also reports errors that occur before ranks can agree on them, most often because memory does not suffice.
int main(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const Error& e) {
    std::fputs(fmt::format("trisweep: error: {}\n", e.what()).c_str(), stderr);
    return e.exit_status();
  } catch (const std::bad_alloc&) {
    std::fputs(
        "trisweep: error: not enough memory to start\n"
        "  remedy: raise the limit on the memory of a process (ulimit -v)\n",
        stderr);
    return exit_wrong_use;
  }
}

}  // namespace
}  // namespace trisweep::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit on the size of files fails, and is reported
  on_exit(trisweep::cli::leave, nullptr);
  return trisweep::cli::main(argc, argv);
}
