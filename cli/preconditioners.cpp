// The table behind `trisweep solve --preconditioner`.

#include <array>

#include "solve_job.hpp"

namespace trisweep::cli {

std::span<const NamedPreconditioner> preconditioners() {
  static constexpr auto table = std::to_array<NamedPreconditioner>({
      {"lu", "the factors", Preconditioning::lu},
      {"ilu0", "an incomplete factorization of each rank's diagonal block", Preconditioning::ilu0},
      {"none", "", Preconditioning::none},
  });
  return table;
}

}  // namespace trisweep::cli
