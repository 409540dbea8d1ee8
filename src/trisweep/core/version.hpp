#pragma once
// The version of these headers, and of the library that a program is linked with. The build and the package
// take the version from here.

#define TRISWEEP_VERSION_MAJOR 0
#define TRISWEEP_VERSION_MINOR 1
#define TRISWEEP_VERSION_PATCH 0

namespace trisweep {

// The version of the linked library, such as "0.1.0". Throws nothing.
const char* version();
// The commit that the library was configured at, with "-dirty" if files had changed; empty outside a
// repository. Throws nothing.
const char* commit();
// How the library was built: "Release, instruction sets baseline x86_64_v3, no GPU, no sanitizer, GNU
// 12.2.0", with the compiler's flags. Throws nothing.
const char* build_options();

}  // namespace trisweep
