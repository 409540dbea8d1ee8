#pragma once
// What inverting whole separators adds to the factors, for people.

#include <string>

#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

// "+3.1 MB (+4.1 %) of factors, ...", of a record that has them.
std::string separators_in_words(const RunRecord& record);

}  // namespace trisweep::report
