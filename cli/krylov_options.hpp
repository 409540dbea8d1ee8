#pragma once
// Options of the commands that solve by a Krylov method.

#include "command.hpp"
#include "trisweep/krylov/bicgstab.hpp"

namespace trisweep::cli {

void add_pipelining_options(CLI::App& sub, krylov::BicgstabOptions& options);

}  // namespace trisweep::cli
