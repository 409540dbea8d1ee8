#pragma once
#include <cstddef>

namespace trisweep {

// Alignment that keeps data of different writers on different cache lines: the longest line of any processor
// (x86-64: 64, which it fetches in pairs; arm64: 64 to 256; POWER: 128; s390x: 256).
inline constexpr std::size_t cache_line = 256;

}  // namespace trisweep
