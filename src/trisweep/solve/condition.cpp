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

// The vector `whole` on rank 0, by the partition: rows.
struct Layout {
  std::vector<int> count;
  std::vector<int> at;

  explicit Layout(const RowPartition& partition) : at(partition.begin.begin(), partition.begin.end() - 1) {
    for (Index r = 0; r < static_cast<Index>(at.size()); ++r) count.push_back(partition.count(r));
  }
};

// What ranks need: all of it is there before any waits for another.
template <Scalar T>
struct Estimation {
  Estimation(const RowPartition& partition, Index rank)
      : layout(partition), estimator(rank == 0 ? partition.rows() : 0), mine(usize(partition.count(rank))) {}

  Layout layout;
  NormEstimator<T> estimator;
  std::vector<T> mine;
  int kase = 0;
};

// One rank may fail in a solve: the others hear of it where they wait for that rank.
template <Scalar T>
void estimate(TriangularSolver<T>& solver, Estimation<T>& with) {
  const transport::Communicator& comm = solver.comm();
  auto& [layout, estimator, mine, kase] = with;
  const auto rows = static_cast<Index>(mine.size());
  const transport::RowType row(sizeof(T));
  const auto finish = [&](int code, MPI_Request& request) {
    transport::check(code, "transfer of a vector");
    comm.finish(request);
  };
  while (true) {
    MPI_Request request;
    if (comm.rank() == 0) kase = estimator.step();
    finish(MPI_Ibcast(&kase, 1, MPI_INT, 0, comm.handle(), &request), request);
    if (kase == 0) return;
    finish(MPI_Iscatterv(estimator.x.data(), layout.count.data(), layout.at.data(), row.get(), mine.data(),
                         rows, row.get(), 0, comm.handle(), &request),
           request);
    solver.solve(kase == 1 ? Op::none : Op::conjugate_transpose, {mine.data(), rows, 1},
                 {mine.data(), rows, 1}, false);
    finish(MPI_Igatherv(mine.data(), rows, row.get(), estimator.x.data(), layout.count.data(),
                        layout.at.data(), row.get(), 0, comm.handle(), &request),
           request);
  }
}

}  // namespace

template <Scalar T>
double estimate_condition(TriangularSolver<T>& solver) {
  const transport::Communicator& comm = solver.comm();
  auto made = transport::collectively(
      comm, [&] { return std::make_unique<Estimation<T>>(solver.partition(), comm.rank()); });
  try {
    estimate(solver, *made);
  } catch (...) {
    if (comm.abandoned()) static_cast<void>(made.release());  // transfers may be under way
    throw;
  }
  double condition = static_cast<double>(made->estimator.estimate) * solver.scaled_norm_one();
  comm.broadcast(condition);
  return std::isfinite(condition) ? condition : std::numeric_limits<double>::infinity();
}

#define INSTANTIATE(T) template double estimate_condition(TriangularSolver<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
