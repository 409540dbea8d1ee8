#pragma once
// Commands that are separate programs, as git has them: `trisweep NAME ...` runs `trisweep-NAME ...`.
// `bench` and `report`, which draw figures, come with the Python package.

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace trisweep::cli {

// Finds the program of the command `name`: beside this binary, in the virtual environment of the checkout to
// which the binary's folder belongs, or on PATH. nullopt if there is none, or `name` is not a word.
std::optional<std::filesystem::path> find_external(const std::string& name);

// Replaces this process by `program` with the arguments from argv[2] on, whose exit status is then ours; the
// variable TRISWEEP_BINARY tells it which trisweep to run. To be called before MPI_Init. Throws
// Error(environment).
[[noreturn]] void run_external(const std::filesystem::path& program, char** argv);

// A line with all external commands, for the end of the help.
std::string list_of_externals();

// The commands of the Python package.
inline constexpr std::array programs_of_python_package{"bench", "report"};
bool is_of_python_package(const std::string& name);

}  // namespace trisweep::cli
