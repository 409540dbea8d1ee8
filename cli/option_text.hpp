#pragma once
// The options of a command as its help shows them, for shell completion and manual pages.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace trisweep::cli {

struct OptionText {
  std::vector<std::string> names;  // "-o", "--output"; the only name of a positional has no dashes
  std::string value;               // type, default and limits; empty: a flag
  std::string description;
  std::vector<std::string> choices;  // the valid words; empty: any
  bool is_positional = false;
};

// In the order of the help.
std::vector<OptionText> options_of(const CLI::App& command);

// The commands, in the order of the help.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// For example "trisweep solve [OPTIONS] [matrix]".
std::string usage_of(const CLI::App& command);

// A script that completes commands, options and their choices; `shell`: "bash", "zsh" or "fish".
std::string completion(const CLI::App& app, const std::string& shell);

// The manual page of a command, or of `app` itself, in the format of man(7).
std::string manual_page(const CLI::App& app, const CLI::App& command);

}  // namespace trisweep::cli
