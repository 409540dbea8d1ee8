// CHOLMOD (SuiteSparse): Cholesky, supernodal if it chooses so. Threads are those of the BLAS.

#include <fmt/format.h>
#include <suitesparse/cholmod.h>

#include <algorithm>
#include <stdexcept>

#include "peer.hpp"

namespace peers {
namespace {

class Cholmod : public Peer {
 public:
  Cholmod(const Problem& p, const Settings& settings)
      : upper_(upper_triangle(p)), order_(p.old_of_new()), own_order_(settings.own_order) {
    if (!p.definite) throw std::runtime_error("only for symmetric positive definite matrices");
    cholmod_start(&common_);
    if (own_order_) return;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
  }
  ~Cholmod() override {
    for (cholmod_dense** v : {&x_, &y_, &e_}) cholmod_free_dense(v, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  void analyze() override {
    cholmod_sparse a = matrix();
    factor_ = cholmod_analyze_p(&a, own_order_ ? nullptr : order_.data(), nullptr, 0, &common_);
    check();
  }

  void factor() override {
    cholmod_sparse a = matrix();
    cholmod_factorize(&a, factor_, &common_);
    check();
    entries_ = factor_->is_super ? supernodal_entries() : common_.lnz;
  }

  int local_rows() const override { return upper_.rows; }

  void solve(int nrhs, const double* b, double* x) override {
    const auto n = static_cast<std::size_t>(upper_.rows);
    cholmod_dense rhs{};
    rhs.nrow = rhs.d = n;
    rhs.ncol = static_cast<std::size_t>(nrhs);
    rhs.nzmax = n * rhs.ncol;
    rhs.x = const_cast<double*>(b);
    rhs.xtype = CHOLMOD_REAL;
    cholmod_solve2(CHOLMOD_A, factor_, &rhs, nullptr, &x_, nullptr, &y_, &e_, &common_);
    check();
    std::copy_n(static_cast<const double*>(x_->x), n * rhs.ncol, x);
  }

  Facts facts() const override {
    int version[3];
    cholmod_version(version);
    return {.version = fmt::format("{}.{}.{}", version[0], version[1], version[2]),
            .kind = "cholesky",
            .ordering = own_order_ ? "its own" : "ours",
            .entries_swept = 2 * entries_};
  }

 private:
  // Compressed columns of the lower triangle: a view of our rows of the upper one.
  cholmod_sparse matrix() {
    cholmod_sparse a{};
    a.nrow = a.ncol = static_cast<std::size_t>(upper_.rows);
    a.nzmax = upper_.col.size();
    a.p = upper_.row_ptr.data();
    a.i = upper_.col.data();
    a.x = upper_.value.data();
    a.stype = -1;
    a.itype = CHOLMOD_INT;
    a.xtype = CHOLMOD_REAL;
    a.sorted = a.packed = 1;
    return a;
  }

  // Entries without the upper triangles of diagonal blocks, which are also stored.
  double supernodal_entries() const {
    const auto* first = static_cast<const int*>(factor_->super);
    double entries = double(factor_->xsize);
    for (std::size_t s = 0; s < factor_->nsuper; ++s) {
      const double width = first[s + 1] - first[s];
      entries -= width * (width - 1) / 2;
    }
    return entries;
  }

  void check() const {
    if (common_.status != CHOLMOD_OK)
      throw std::runtime_error(fmt::format("CHOLMOD: status {}", common_.status));
  }

  Problem upper_;
  std::vector<int> order_;
  bool own_order_;
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;
  double entries_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<Cholmod>(problem, settings);
}

}  // namespace peers
