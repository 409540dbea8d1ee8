#include "trisweep/core/version.hpp"

#define TRISWEEP_TEXT(value) #value
#define TRISWEEP_VERSION_TEXT(major, minor, patch) \
  TRISWEEP_TEXT(major) "." TRISWEEP_TEXT(minor) "." TRISWEEP_TEXT(patch)

namespace trisweep {

const char* version() {
  return TRISWEEP_VERSION_TEXT(TRISWEEP_VERSION_MAJOR, TRISWEEP_VERSION_MINOR, TRISWEEP_VERSION_PATCH);
}

const char* commit() {
  return TRISWEEP_COMMIT;
}

const char* build_options() {
  return TRISWEEP_BUILD_OPTIONS;
}

}  // namespace trisweep
