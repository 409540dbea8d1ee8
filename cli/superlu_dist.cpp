#include "factorization.hpp"
#include "trisweep/superlu_dist/engine.hpp"

namespace trisweep::cli {

std::shared_ptr<const solve::FactorEngine> superlu_dist_engine() {
  return superlu_dist::engine();
}

}  // namespace trisweep::cli
