// libFuzzer harness of the mesh readers: every format. See scripts/fuzz.

#include <cstdint>
#include <cstdlib>

#include "fuzz/read_any_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* const ending : {".msh", ".stl", ".obj", ".ply"}) {
    if (!trisweep::bem::fuzz::reads_or_refuses(bytes, ending)) std::abort();
  }
  return 0;
}
