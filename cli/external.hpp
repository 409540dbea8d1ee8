#pragma once
// Commands that are programs of their own, in the way of git: `trisweep NAME ...` runs `trisweep-NAME ...`.
// The ones that draw, `bench` and `report`, come with the Python package.

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace trisweep::cli {

// The program of the command `name`: beside this binary, in the virtual environment of the checkout that the
// binary's folder belongs to, or on PATH; nothing when it is nowhere, or when `name` is no word.
std::optional<std::filesystem::path> find_external(const std::string& name);

// Turns this process into `program` with the arguments argv[2] and on, so that its exit status is ours; the
// variable TRISWEEP_BINARY tells it which trisweep to run. Call it before MPI_Init. Throws Error
// (environment).
[[noreturn]] void run_external(const std::filesystem::path& program, char** argv);

// All external commands, in a line, for the end of the help.
std::string list_of_externals();

// The commands of the Python package.
inline constexpr std::array programs_of_python_package{"bench", "report"};
bool is_of_python_package(const std::string& name);

}  // namespace trisweep::cli
