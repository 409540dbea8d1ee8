#include "trisweep/core/masked_words.hpp"

namespace trisweep::masking {

std::uint64_t mask_words(const void* from, std::size_t size, std::uint64_t mask, std::uint64_t* to) {
  return TRISWEEP_BEST_ISA(mask)(from, size, mask, to);
}

void unmask_words(const std::uint64_t* from, std::size_t size, std::uint64_t mask, void* to) {
  TRISWEEP_BEST_ISA(unmask)(from, size, mask, to);
}

std::uint64_t sum_words(const std::uint64_t* words, std::size_t size) {
  return TRISWEEP_BEST_ISA(sum)(words, size);
}

}  // namespace trisweep::masking
