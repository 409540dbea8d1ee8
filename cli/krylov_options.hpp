#pragma once
// Options of commands that solve by a Krylov method.

#include "command.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::cli {

void add_pipelining_options(CLI::App& sub, krylov::KrylovOptions& options);
// Throws Error(usage) when these options are given and the method is not pipelined-bicgstab.
void check_pipelining_options(const CLI::App& sub, const std::string& method);

// Throws Error(usage) when a relative residual of `tolerance` cannot be reached in a precision with that
// epsilon. `option`: the name of the tolerance's option.
void check_tolerance(const char* option, double tolerance, double epsilon);

}  // namespace trisweep::cli
