#pragma once
// Refuses options that would have no effect with the other choices.

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>

namespace trisweep::cli {

// Throws Error(usage) if `sub` was given one of the options: "--trace cannot be combined with --method
// gmres".
void refuse(const CLI::App& sub, std::initializer_list<const char*> options, const std::string& choice,
            const std::string& remedy);

}  // namespace trisweep::cli
