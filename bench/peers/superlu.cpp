// SuperLU: supernodal LU on one thread, with our order in its symmetric mode (pivots on the diagonal unless
// they are tiny); or with its own order (COLAMD) and partial pivoting.

#include <fmt/format.h>
#include <superlu/slu_ddefs.h>

#include <stdexcept>

#include "peer.hpp"

namespace peers {
namespace {

class Superlu : public Peer {
 public:
  Superlu(const Problem& p, const Settings& settings)
      : columns_(transposed(p)),
        perm_c_(p.new_of_old),
        perm_r_(perm_c_.size()),
        own_order_(settings.own_order) {
    set_default_options(&options_);
    if (!own_order_) {
      options_.SymmetricMode = YES;
      options_.DiagPivotThresh = 0.001;
    }
    StatInit(&stat_);
    dCreate_CompCol_Matrix(&a_, p.rows, p.rows, static_cast<int>(columns_.col.size()), columns_.value.data(),
                           columns_.col.data(), columns_.row_ptr.data(), SLU_NC, SLU_D, SLU_GE);
  }
  ~Superlu() override {
    Destroy_SuperMatrix_Store(&a_);
    if (permuted_.Store != nullptr) Destroy_CompCol_Permuted(&permuted_);
    free_factors();
    StatFree(&stat_);
  }
  Superlu(const Superlu&) = delete;
  Superlu& operator=(const Superlu&) = delete;

  void analyze() override {
    tree_.resize(perm_c_.size());
    if (own_order_) get_perm_c(options_.ColPerm, &a_, perm_c_.data());
    sp_preorder(&options_, &a_, perm_c_.data(), tree_.data(), &permuted_);
  }

  void factor() override {
    GlobalLU_t global;
    int info = 0;
    dgstrf(&options_, &permuted_, sp_ienv(2), sp_ienv(1), tree_.data(), nullptr, 0, perm_c_.data(),
           perm_r_.data(), &l_, &u_, &global, &stat_, &info);
    check(info);
  }

  void refactor() override {
    free_factors();
    factor();
  }

  int local_rows() const override { return columns_.rows; }

  void solve(int nrhs, const double*, double* x) override {
    SuperMatrix b;
    int info = 0;
    dCreate_Dense_Matrix(&b, columns_.rows, nrhs, x, columns_.rows, SLU_DN, SLU_D, SLU_GE);
    dgstrs(NOTRANS, &l_, &u_, perm_c_.data(), perm_r_.data(), &b, &stat_, &info);
    Destroy_SuperMatrix_Store(&b);
    check(info);
  }

  Facts facts() const override {
    const auto* l = static_cast<const SCformat*>(l_.Store);
    const auto* u = static_cast<const NCformat*>(u_.Store);
    return {.version =
                fmt::format("{}.{}.{}", SUPERLU_MAJOR_VERSION, SUPERLU_MINOR_VERSION, SUPERLU_PATCH_VERSION),
            .kind = "lu",
            .ordering = own_order_ ? "its own" : "ours",
            .entries_swept = double(l->nzval_colptr[columns_.rows]) + double(u->nnz)};
  }

 private:
  void free_factors() {
    if (l_.Store != nullptr) Destroy_SuperNode_Matrix(&l_);
    if (u_.Store != nullptr) Destroy_CompCol_Matrix(&u_);
    l_ = u_ = {};
  }

  static void check(int info) {
    if (info != 0) throw std::runtime_error(fmt::format("SuperLU: info {}", info));
  }

  Problem columns_;
  std::vector<int> perm_c_, perm_r_, tree_;
  bool own_order_;
  superlu_options_t options_{};
  SuperLUStat_t stat_{};
  SuperMatrix a_{}, permuted_{}, l_{}, u_{};
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<Superlu>(problem, settings);
}

}  // namespace peers
