// UMFPACK (SuiteSparse): multifrontal LU. One right-hand side at a time. Threads are those of the BLAS.

#include <suitesparse/umfpack.h>

#include <stdexcept>
#include <string>

#include "peer.hpp"

namespace peers {
namespace {

class Umfpack : public Peer {
 public:
  Umfpack(const Problem& p, const Settings& settings)
      : columns_(transposed(p)), order_(p.old_of_new()), own_order_(settings.own_order) {
    umfpack_di_defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;
    if (own_order_) return;
    control_[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    control_[UMFPACK_SCALE] = UMFPACK_SCALE_NONE;
  }
  ~Umfpack() override {
    umfpack_di_free_symbolic(&symbolic_);
    umfpack_di_free_numeric(&numeric_);
  }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;

  void analyze() override {
    check(umfpack_di_qsymbolic(columns_.rows, columns_.rows, columns_.row_ptr.data(), columns_.col.data(),
                               columns_.value.data(), own_order_ ? nullptr : order_.data(), &symbolic_,
                               control_, info_));
  }

  void factor() override {
    check(umfpack_di_numeric(columns_.row_ptr.data(), columns_.col.data(), columns_.value.data(), symbolic_,
                             &numeric_, control_, info_));
    index_.resize(order_.size());
    work_.resize(order_.size());
  }

  void refactor() override {
    umfpack_di_free_numeric(&numeric_);
    factor();
  }

  int local_rows() const override { return columns_.rows; }

  void solve(int nrhs, const double* b, double* x) override {
    for (int c = 0; c < nrhs; ++c) {
      const std::ptrdiff_t at = std::ptrdiff_t{c} * columns_.rows;
      check(umfpack_di_wsolve(UMFPACK_A, columns_.row_ptr.data(), columns_.col.data(), columns_.value.data(),
                              x + at, b + at, numeric_, control_, info_, index_.data(), work_.data()));
    }
  }

  Facts facts() const override {
    return {.version = std::to_string(UMFPACK_MAIN_VERSION) + "." + std::to_string(UMFPACK_SUB_VERSION) +
                       "." + std::to_string(UMFPACK_SUBSUB_VERSION),
            .kind = "lu",
            .ordering = own_order_ ? "its own" : "ours",
            .entries_swept = info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ]};
  }

 private:
  static void check(int status) {
    if (status != UMFPACK_OK) throw std::runtime_error("UMFPACK: status " + std::to_string(status));
  }

  Problem columns_;
  std::vector<int> order_;
  bool own_order_;
  double control_[UMFPACK_CONTROL] = {};
  double info_[UMFPACK_INFO] = {};
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  std::vector<int> index_;
  std::vector<double> work_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<Umfpack>(problem, settings);
}

}  // namespace peers
