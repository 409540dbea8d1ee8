// In the place of core/version.cpp, so that a rank may have another build than the others.

#include "support/other_build.hpp"

#include "trisweep/core/version.hpp"

const char* trisweep::version() {
  return "0.0.0";
}
const char* trisweep::commit() {
  return testing_support::commit_of_this_rank;
}
const char* trisweep::build_options() {
  return "tests";
}
