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

// Throws Error(usage) if two outputs are the same file, which need not exist yet, or an output is an input
// file or lies in an input folder. Empty paths are options that were not given.
void require_distinct(std::span<const FileOption> outputs, std::span<const FileOption> inputs = {});

// Opens the output; "-" is standard output. nullopt if the option was not given.
std::optional<OutputFile> open_output(const std::string& path);

// True for "-" and for other names of standard output.
bool is_standard_output(const std::string& path);

}  // namespace trisweep::cli
