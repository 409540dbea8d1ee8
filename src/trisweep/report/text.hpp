#pragma once
// Numbers in words, for summaries.

#include <string>

#include "trisweep/core/types.hpp"

namespace trisweep::report {

// Three significant digits in the largest unit that leaves at least 1: "1.5 ms", "73.1 MB".
std::string duration(double seconds);
std::string bytes(double size);

// "1 supernode", "2 supernodes".
std::string counted(Offset count, const std::string& thing);

// Quotes any text as one word of a shell.
std::string shell_quoted(const std::string& text);

}  // namespace trisweep::report
