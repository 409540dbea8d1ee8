#pragma once

namespace trisweep::testing_support {

// What this rank's library says that it was built from: other_build.cpp defines that for the program.
inline const char* commit_of_this_rank = "0123456789ab";

}  // namespace trisweep::testing_support
