// Every variant on several PEs that share a GPU, and on PEs with a GPU each, against the factors themselves.
// Without a GPU (tests/fake_cuda) blocks of several threads are seen by the thread sanitizer, which takes a
// second for each: a fifth of them then.

#include <complex>

#include "device/gpu/combination_case.hpp"

namespace trisweep::testing_support {
namespace {

class EveryVariantOfGpusThreads : public Gpu {};

TEST_F(EveryVariantOfGpusThreads, SolvesOnOneToFourPes) {
  const bool has_several = backend::runtime(gpu).count() >= 4;
  for (const Combination& of : TRISWEEP_GPU_OF_THREADS ? some_combinations() : combinations()) {
    const bool device_for_each = has_several && of.turn % 5 == 0;
    if (of.is_complex) {
      expect_solves_on_gpu<std::complex<double>>(of, device_for_each);
    } else {
      expect_solves_on_gpu<double>(of, device_for_each);
    }
  }
}

}  // namespace
}  // namespace trisweep::testing_support
