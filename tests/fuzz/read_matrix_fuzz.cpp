// libFuzzer harness of the matrix readers: every format, plain and gzipped. See scripts/fuzz.

#include <cstdlib>

#include "fuzz/read_any_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!trisweep::matrix::fuzz::reads_or_refuses(bytes)) std::abort();
  return 0;
}
