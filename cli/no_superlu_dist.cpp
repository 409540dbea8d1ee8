// Replaces superlu_dist.cpp if CMake has not found SuperLU_DIST.

#include "factorization.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::cli {

std::shared_ptr<const solve::FactorEngine> superlu_dist_engine() {
  throw Error(ErrorKind::usage, "this build of trisweep has no SuperLU_DIST",
              "install libsuperlu-dist-dev (Debian, for Open MPI) and build again, or factor with 'own'");
}

}  // namespace trisweep::cli
