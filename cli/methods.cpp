// The tables behind `trisweep solve --method` and `--preconditioner`.

#include <array>

#include "solve_job.hpp"

namespace trisweep::cli {

std::span<const NamedMethod> methods() {
  static constexpr auto table = std::to_array<NamedMethod>({
      {"direct", "by the factors", false},
      {"bicgstab", "by products with the matrix", true},
  });
  return table;
}

std::span<const NamedPreconditioner> preconditioners() {
  static constexpr auto table = std::to_array<NamedPreconditioner>({
      {"lu", "the factors", Preconditioning::lu},
      {"ilu0", "an incomplete factorization of each rank's diagonal block", Preconditioning::ilu0},
      {"none", "", Preconditioning::none},
  });
  return table;
}

}  // namespace trisweep::cli
