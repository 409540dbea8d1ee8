#include "trisweep/solve/condition.hpp"

#include <cmath>
#include <limits>

extern "C" {
void slacn2_(const int* n, float* v, float* x, int* isgn, float* est, int* kase, int* isave);
void dlacn2_(const int* n, double* v, double* x, int* isgn, double* est, int* kase, int* isave);
void clacn2_(const int* n, std::complex<float>* v, std::complex<float>* x, float* est, int* kase, int* isave);
void zlacn2_(const int* n, std::complex<double>* v, std::complex<double>* x, double* est, int* kase,
             int* isave);
}

namespace trisweep::solve {
namespace {

// LAPACK's estimator by reverse communication: step() asks for x := B x (kase 1) or x := B^H x (kase 2) until
// kase is 0, where `estimate` bounds ||B||_1 from below.
template <Scalar T>
struct NormEstimator {
  explicit NormEstimator(Index n) : x(usize(n)), v_(usize(n)), sign_(is_complex<T> ? 0 : usize(n)) {}

  int step() {
    const int n = static_cast<int>(x.size());
    if constexpr (std::same_as<T, float>) {
      slacn2_(&n, v_.data(), x.data(), sign_.data(), &estimate, &kase_, save_);
    } else if constexpr (std::same_as<T, double>) {
      dlacn2_(&n, v_.data(), x.data(), sign_.data(), &estimate, &kase_, save_);
    } else if constexpr (std::same_as<T, std::complex<float>>) {
      clacn2_(&n, v_.data(), x.data(), &estimate, &kase_, save_);
    } else {
      zlacn2_(&n, v_.data(), x.data(), &estimate, &kase_, save_);
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

// The vector `whole` on rank 0, by the partition.
struct Layout {
  std::vector<int> count;
  std::vector<int> at;
};

template <Scalar T>
Layout byte_layout(const RowPartition& partition, Index ranks) {
  Layout layout;
  for (Index r = 0; r < ranks; ++r) {
    layout.count.push_back(partition.count(r) * static_cast<int>(sizeof(T)));
    layout.at.push_back(partition.first(r) * static_cast<int>(sizeof(T)));
  }
  return layout;
}

}  // namespace

template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver) {
  const transport::Communicator& comm = solver.comm();
  const Index rows = solver.partition().count(comm.rank());
  const Layout layout = byte_layout<T>(solver.partition(), comm.size());
  NormEstimator<T> estimator(comm.rank() == 0 ? solver.partition().rows() : 0);
  std::vector<T> mine(usize(rows));
  const int bytes = rows * static_cast<int>(sizeof(T));
  while (true) {
    int kase = comm.rank() == 0 ? estimator.step() : 0;
    comm.broadcast(kase);
    if (kase == 0) break;
    transport::check(MPI_Scatterv(estimator.x.data(), layout.count.data(), layout.at.data(), MPI_BYTE,
                                  mine.data(), bytes, MPI_BYTE, 0, comm.handle()),
                     "MPI_Scatterv");
    solver.solve(kase == 1 ? Op::none : Op::conjugate_transpose, {mine.data(), rows, 1},
                 {mine.data(), rows, 1}, false);
    transport::check(MPI_Gatherv(mine.data(), bytes, MPI_BYTE, estimator.x.data(), layout.count.data(),
                                 layout.at.data(), MPI_BYTE, 0, comm.handle()),
                     "MPI_Gatherv");
  }
  double condition = static_cast<double>(estimator.estimate) * solver.scaled_norm_one();
  comm.broadcast(condition);
  return std::isfinite(condition) ? condition : std::numeric_limits<double>::infinity();
}

#define INSTANTIATE(T) template double estimate_condition(TriangularSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
