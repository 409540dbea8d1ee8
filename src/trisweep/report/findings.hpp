#pragma once
// What a machine has, or lacks, for solves (trisweep doctor).

#include <span>
#include <string>

namespace trisweep::report {

struct Finding {
  std::string name;    // "huge pages"
  std::string value;   // what was found
  std::string advice;  // what to do; empty: nothing
};

std::string to_json(const std::string& version, std::span<const Finding> findings);
std::string summary(std::span<const Finding> findings);

}  // namespace trisweep::report
