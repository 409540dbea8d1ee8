#pragma once
// The output files of a command, opened before its work starts.

#include <optional>
#include <span>
#include <string>

#include "trisweep/core/output_file.hpp"

namespace trisweep::cli {

struct FileOption {
  const char* name;  // "--json"
  const std::string& path;
};

// Throws Error(usage) when two outputs are the same file, also when that does not exist yet, or an output is
// one that is read or in a folder that is. Empty paths are options that were not given.
void require_distinct(std::span<const FileOption> outputs, std::span<const FileOption> inputs = {});

// Nothing when the option was not given; "-" is standard output.
std::optional<OutputFile> open_output(const std::string& path);

// By whichever of its names.
bool is_standard_output(const std::string& path);

}  // namespace trisweep::cli
