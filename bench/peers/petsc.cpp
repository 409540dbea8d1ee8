// PETSc's own sequential factorizations, on one thread.

#include <fmt/format.h>
#include <petscmat.h>

#include <stdexcept>

#include "peer.hpp"

namespace peers {
namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error(fmt::format("PETSc: error {}", static_cast<int>(code)));
}

class Petsc : public Peer {
 public:
  explicit Petsc(const Problem& p) : problem_(p), order_(p.old_of_new()) {
    check(PetscInitializeNoArguments());
    check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, p.rows, p.rows, problem_.row_ptr.data(),
                                    problem_.col.data(), problem_.value.data(), &a_));
    check(ISCreateGeneral(PETSC_COMM_SELF, p.rows, order_.data(), PETSC_USE_POINTER, &permutation_));
    check(ISSetPermutation(permutation_));
  }
  ~Petsc() override {
    MatDestroy(&factor_);
    MatDestroy(&a_);
    ISDestroy(&permutation_);
    PetscFinalize();
  }
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;

  void analyze() override {
    check(MatFactorInfoInitialize(&info_));
    info_.fill = 10;
    check(MatGetFactor(a_, MATSOLVERPETSC, MAT_FACTOR_LU, &factor_));
    check(MatLUFactorSymbolic(factor_, a_, permutation_, permutation_, &info_));
  }

  void factor() override { check(MatLUFactorNumeric(factor_, a_, &info_)); }

  int local_rows() const override { return problem_.rows; }

  void solve(int nrhs, const double* b, double* x) override {
    Mat rhs = nullptr, solution = nullptr;
    for (auto [matrix, data] : {std::pair{&rhs, const_cast<double*>(b)}, std::pair{&solution, x}}) {
      check(MatCreateSeqDense(PETSC_COMM_SELF, problem_.rows, nrhs, data, matrix));
    }
    check(MatMatSolve(factor_, rhs, solution));
    check(MatDestroy(&rhs));
    check(MatDestroy(&solution));
  }

  Facts facts() const override {
    MatInfo info;
    check(MatGetInfo(factor_, MAT_LOCAL, &info));
    return {
        .version = fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR),
        .kind = "lu",
        .ordering = "ours",
        .entries_swept = info.nz_used};
  }

 private:
  Problem problem_;
  std::vector<int> order_;
  Mat a_ = nullptr, factor_ = nullptr;
  IS permutation_ = nullptr;
  MatFactorInfo info_{};
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings&) {
  return std::make_unique<Petsc>(problem);
}

}  // namespace peers
