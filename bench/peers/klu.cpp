// KLU (SuiteSparse): LU for circuits, on one thread: block triangular form, AMD in each block, partial
// pivoting and a refactorization that keeps the pivots.

#include <fmt/format.h>
#include <suitesparse/klu.h>

#include <algorithm>
#include <stdexcept>

#include "peer.hpp"

namespace peers {
namespace {

class Klu : public Peer {
 public:
  Klu(const Problem& p, const Settings& settings)
      : columns_(transposed(p)), order_(p.old_of_new()), own_order_(settings.own_order) {
    klu_defaults(&common_);
    if (own_order_) return;
    common_.btf = 0;
    common_.scale = 0;
  }
  ~Klu() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  void analyze() override {
    int* const pointers = columns_.row_ptr.data();
    int* const rows = columns_.col.data();
    symbolic_ =
        own_order_ ? klu_analyze(columns_.rows, pointers, rows, &common_)
                   : klu_analyze_given(columns_.rows, pointers, rows, order_.data(), order_.data(), &common_);
    check();
  }

  void factor() override {
    numeric_ =
        klu_factor(columns_.row_ptr.data(), columns_.col.data(), columns_.value.data(), symbolic_, &common_);
    check();
  }

  void refactor() override {
    klu_refactor(columns_.row_ptr.data(), columns_.col.data(), columns_.value.data(), symbolic_, numeric_,
                 &common_);
    check();
  }

  int local_rows() const override { return columns_.rows; }

  void solve(int nrhs, const double*, double* x) override {
    klu_solve(symbolic_, numeric_, columns_.rows, nrhs, x, &common_);
    check();
  }

  Facts facts() const override {
    return {.version = fmt::format("{}.{}.{}", KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION),
            .kind = "lu",
            .ordering = own_order_ ? "its own" : "ours",
            .entries_swept = double(numeric_->lnz) + double(numeric_->unz) + double(numeric_->nzoff)};
  }

 private:
  void check() const {
    if (common_.status != KLU_OK) throw std::runtime_error(fmt::format("KLU: status {}", common_.status));
  }

  Problem columns_;
  std::vector<int> order_;
  bool own_order_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<Klu>(problem, settings);
}

}  // namespace peers
