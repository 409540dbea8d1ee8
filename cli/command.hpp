#pragma once
// Declarations shared by the subcommands. Each subcommand is one file with one function that declares its
// options on the application and sets the function to run.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "terminal.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::cli {

struct Context {
  const mpi::Communicator& world;
  Terminal& terminal;  // silent on ranks other than 0

  bool is_root() const { return world.rank() == 0; }
};

// Runs the command on every rank and returns the exit status, the same on all of them.
using Run = std::function<int(const Context&)>;

// Each adds a subcommand to `app` and, when that is chosen, sets `run`.
void add_studies(CLI::App& app, Run& run);  // bem, factor, himv, sptrsv, where they are built
void add_bem(CLI::App& app, Run& run);
void add_factor(CLI::App& app, Run& run);
void add_himv(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);
void add_gallery(CLI::App& app, Run& run);
void add_info(CLI::App& app, Run& run);
void add_machines(CLI::App& app, Run& run);
void add_pingpong(CLI::App& app, Run& run);
void add_plan(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_shell_support(CLI::App& app, Run& run);  // completion, manual
void add_solve(CLI::App& app, Run& run);
void add_sptrsv(CLI::App& app, Run& run);
void add_tune(CLI::App& app, Run& run);

// True if this is a command that the build leaves out.
bool is_left_out(const std::string& command);

}  // namespace trisweep::cli
