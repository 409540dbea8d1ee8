#pragma once
// Options of the commands that solve by a Krylov method.

#include "command.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::cli {

void add_pipelining_options(CLI::App& sub, krylov::KrylovOptions& options);
// Throws Error(usage) when they are given and the method is not pipelined-bicgstab.
void check_pipelining_options(const CLI::App& sub, const std::string& method);

// Throws Error(usage) when the residual cannot become so small in numbers with that epsilon. `option`: the
// name of the tolerance.
void check_tolerance(const char* option, double tolerance, double epsilon);

}  // namespace trisweep::cli
