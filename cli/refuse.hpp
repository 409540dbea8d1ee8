#pragma once
// Options that would do nothing beside what else is chosen.

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>

namespace trisweep::cli {

// Throws Error(usage) when `sub` was given one of the options: "--trace is not for --method gmres".
void refuse(const CLI::App& sub, std::initializer_list<const char*> options, const std::string& choice,
            const std::string& remedy);

}  // namespace trisweep::cli
