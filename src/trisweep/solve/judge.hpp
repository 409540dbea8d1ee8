#pragma once
// Judges the answers of one factorization, by their errors and an estimate of the matrix's condition, which
// is computed when first needed.

#include <map>
#include <optional>

#include "trisweep/solve/report.hpp"
#include "trisweep/solve/singularity.hpp"

namespace trisweep::solve {

// Collective, except static functions and those that only return a member.
template <Scalar T>
class Judge {
 public:
  // Judges solutions by `refined` with the factors of `a` in `solver`. `report`: of these factors; the
  // condition estimate is added to it. All of these must outlive the judge. `low_precision`: of the factors.
  Judge(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver, RefinedSolver<T>& refined,
        FactorReport& report, bool low_precision)
      : a_(a),
        solver_(solver),
        refined_(refined),
        report_(report),
        factors_are_of_another_(report.perturbed_pivots > 0 || low_precision) {}

  // Returns the verdict from the backward errors alone, without the condition of the matrix.
  static Answer unjudged(Refined result);
  void judge(Answer& answer);
  // Returns the verdict on unrefined sweeps of op, for a known solution with entries in [1, 2).
  const Answer& sample(Op op);
  double condition_estimate();

  // True if the factors are those of a perturbed matrix, beyond rounding in T: its condition says little
  // about A's. (A condition estimate by compressed factors is trusted only up to 1 / eps, see
  // next_attempt().)
  bool factors_are_of_another() const { return factors_are_of_another_; }

 private:
  void probe();
  void estimate();

  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<T>& solver_;
  RefinedSolver<T>& refined_;
  FactorReport& report_;
  const bool factors_are_of_another_;
  std::optional<ConditionEstimate> condition_{};  // once known
  std::map<Op, Answer> sample_{};
};

}  // namespace trisweep::solve
