// The trisweep command: parses the command line on every rank, runs one subcommand, and ends with the same
// exit status everywhere: 0 done, 1 a numerical failure, 2 wrong use or bad input.

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <new>

#include "command.hpp"
#include "progress.hpp"
#include "trisweep/numeric/blas_threads.hpp"

namespace trisweep::cli {
namespace {

constexpr int exit_wrong_use = 2;

struct MpiSession {
  MpiSession(int* argc, char*** argv) {
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  }
  ~MpiSession() { MPI_Finalize(); }
};

void print_error(const std::string& text) {
  fmt::print(stderr, "trisweep: error: {}\n", text);
}

// An error of this rank alone: others may be waiting for it, so the whole job ends here.
[[noreturn]] void abort_job(const transport::Communicator& world, int status, const std::string& text) {
  print_error(world.size() > 1 ? fmt::format("rank {}: {}", world.rank(), text) : text);
  std::fflush(nullptr);
  if (world.size() > 1) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  std::_Exit(status);
}

int parse(CLI::App& app, int argc, char** argv, bool is_root) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    const bool asked_for_text = e.get_exit_code() == 0;  // --help and --version
    if (is_root && asked_for_text) app.exit(e);
    if (is_root && !asked_for_text) {
      print_error(
          fmt::format("{}\n  remedy: see trisweep {} --help", e.what(),
                      app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name()));
    }
    return asked_for_text ? -1 : exit_wrong_use;
  }
}

int main(int argc, char** argv) {
  numeric::use_one_blas_thread();
  const MpiSession session(&argc, &argv);
  const transport::Communicator world(MPI_COMM_WORLD);
  const bool is_root = world.rank() == 0;

  CLI::App app("Distributed sparse triangular solves: factor once, solve many times.", "trisweep");
  app.set_version_flag("--version", TRISWEEP_VERSION);
  app.require_subcommand(1);
  Run run;
  add_gallery(app, run);
  add_info(app, run);
  add_solve(app, run);
  if (const int status = parse(app, argc, argv, is_root); status != 0) return std::max(status, 0);

  TerminalProgress progress(is_root);
  try {
    return run({world, progress});
  } catch (const transport::CollectiveError& e) {
    progress.clear();
    if (is_root) print_error(e.what());
    return e.exit_status();
  } catch (const Error& e) {
    progress.clear();
    abort_job(world, e.exit_status(), e.what());
  } catch (const std::exception&) {
    progress.clear();
    abort_job(world, exit_wrong_use, transport::current_failure().message);
  }
}

}  // namespace
}  // namespace trisweep::cli

int main(int argc, char** argv) {
  return trisweep::cli::main(argc, argv);
}
