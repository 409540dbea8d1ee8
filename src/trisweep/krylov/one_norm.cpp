#include "trisweep/krylov/one_norm.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "trisweep/mpi/rows.hpp"
#include "trisweep/numeric/fortran.hpp"

#define TRISWEEP_NORM_SYMBOL_real(P, T) \
  void P##lacn2_(const int* n, T* v, T* x, int* isgn, T* est, int* kase, int* isave);
#define TRISWEEP_NORM_SYMBOL_complex(P, T) \
  void P##lacn2_(const int* n, T* v, T* x, T::value_type* est, int* kase, int* isave);
#define TRISWEEP_NORM_SYMBOL(P, T, kind) TRISWEEP_NORM_SYMBOL_##kind(P, T)

extern "C" {
TRISWEEP_FOR_EACH_FORTRAN_SCALAR(TRISWEEP_NORM_SYMBOL)
}

namespace trisweep::krylov {
namespace {

template <class T>
constexpr auto lacn2 = nullptr;
#define TRISWEEP_NORM_FUNCTION(P, T, kind) \
  template <>                              \
  constexpr auto lacn2<T> = P##lacn2_;
TRISWEEP_FOR_EACH_FORTRAN_SCALAR(TRISWEEP_NORM_FUNCTION)

// LAPACK's estimator by reverse communication: step() asks for x := B x (kase 1) or x := B^H x (kase 2) until
// kase is 0, where `estimate` bounds ||B||_1 from below.
template <Scalar T>
struct NormEstimator {
  explicit NormEstimator(Index n) : x(usize(n)), v_(usize(n)), sign_(is_complex<T> ? 0 : usize(n)) {}

  int step() {
    const int n = static_cast<int>(x.size());
    if constexpr (is_complex<T>) {
      lacn2<T>(&n, v_.data(), x.data(), &estimate, &kase_, save_);
    } else {
      lacn2<T>(&n, v_.data(), x.data(), sign_.data(), &estimate, &kase_, save_);
    }
    return kase_;
  }

  std::vector<T> x;
  RealOf<T> estimate = 0;

 private:
  std::vector<T> v_;
  std::vector<int> sign_;
  int kase_ = 0;
  int save_[3] = {0, 0, 0};
};

}  // namespace

template <Scalar T>
double estimate_one_norm(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                         const Operator<T>& multiply, const Operator<T>& multiply_adjoint) {
  std::vector<T> mine, product;
  std::optional<NormEstimator<T>> estimator;
  mpi::agree_on_error(comm, [&] {
    estimator.emplace(comm.rank() == 0 ? partition.rows() : 0);
    for (auto* v : {&mine, &product}) v->resize(usize(partition.count(comm.rank())));
  });
  while (true) {
    int kase = comm.rank() == 0 ? estimator->step() : 0;
    comm.broadcast(kase);
    if (kase == 0) break;
    mpi::scatter<T>(comm, estimator->x.data(), partition.begin, mine);
    (kase == 1 ? multiply : multiply_adjoint)(mine, product);
    mpi::gather<T>(comm, product, partition.begin, estimator->x.data());
  }
  auto estimate = static_cast<double>(estimator->estimate);
  comm.broadcast(estimate);
  return std::isfinite(estimate) ? estimate : std::numeric_limits<double>::infinity();
}

#define INSTANTIATE(T)                                                                           \
  template double estimate_one_norm(const mpi::Communicator&, const distribution::RowPartition&, \
                                    const Operator<T>&, const Operator<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
