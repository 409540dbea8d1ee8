#include "floor.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

extern "C" {
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void openblas_set_num_threads(int threads);
int openblas_get_num_threads();
}

namespace peers {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr int order = 1024;  // order of the matrices

int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

}  // namespace

double revoke_on_error(MPI_Comm comm, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto now = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); };
  MPI_Barrier(comm);
  double start = now();
  work();
  double end = now();
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, comm);
  return end - start;
}

ReadBandwidth::ReadBandwidth(MPI_Comm comm, int threads, std::size_t bytes)
    : comm_(comm),
      threads_(threads),
      size_(bytes / static_cast<std::size_t>(ranks_of(comm)) / sizeof(double)) {
  const std::size_t rounded = (size_ * sizeof(double) + huge_page - 1) / huge_page * huge_page;
  data_ = static_cast<double*>(std::aligned_alloc(huge_page, rounded));
  if (data_ == nullptr) throw std::bad_alloc();
  madvise(data_, rounded, MADV_HUGEPAGE);
  std::fill(data_, data_ + size_, 1.0);
}

ReadBandwidth::~ReadBandwidth() {
  std::free(data_);
}

// Independent sums, so that additions do not wait for each other, and no more than fit in registers.
double ReadBandwidth::sum(std::size_t first, std::size_t last) const {
  constexpr std::size_t lanes = 16;
  double lane[lanes] = {};
  for (std::size_t i = first; i + lanes <= last; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) lane[j] += data_[i + j];
  }
  return *std::max_element(lane, lane + lanes);
}

double ReadBandwidth::measure() {
  const auto parts = static_cast<std::size_t>(threads_);
  std::vector<double> sums(parts);  // so that no sum is left out as unused
  const auto part = [&](std::size_t t) { sums[t] = sum(size_ * t / parts, size_ * (t + 1) / parts); };
  const double seconds = revoke_on_error(comm_, [&] {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < parts; ++t) others.emplace_back(part, t);
    part(0);
  });
  if (sums[0] <= 0) std::abort();
  return static_cast<double>(size_ * sizeof(double)) * ranks_of(comm_) / seconds;
}

ProductRate::ProductRate(MPI_Comm comm, int threads)
    : comm_(comm), threads_(threads), a_(std::size_t{order} * order, 1.0), b_(a_), c_(a_) {}

double ProductRate::measure() {
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(threads_);
  const double seconds = revoke_on_error(comm_, [&] {
    const double one = 1, zero = 0;
    dgemm_("N", "N", &order, &order, &order, &one, a_.data(), &order, b_.data(), &order, &zero, c_.data(),
           &order);
  });
  openblas_set_num_threads(before);
  return 2.0 * order * order * order * ranks_of(comm_) / seconds;
}

}  // namespace peers
