#pragma once
// The output files of a command, opened before its work starts.

#include <optional>
#include <span>
#include <string>

#include "trisweep/core/output_file.hpp"

namespace trisweep::cli {

struct OutputOption {
  const char* name;  // "--json"
  const std::string& path;
};

// Throws Error(usage) when two options name the same file, also when that does not exist yet. Empty paths are
// options that were not given.
void require_distinct(std::span<const OutputOption> options);

// Nothing when the option was not given.
std::optional<OutputFile> open_output(const std::string& path);

}  // namespace trisweep::cli
