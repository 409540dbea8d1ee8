#pragma once
// What the machine can do at this moment: the bounds with which every solve is compared.

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace peers {

// Seconds from the start of the first rank to the end of the last one: with more ranks than cores they run
// one after another. Collective, for ranks of one node, which share a clock.
double revoke_on_error(MPI_Comm comm, const std::function<void()>& work);

// Reads memory far larger than the caches, with several threads on each rank, all at the same time.
class ReadBandwidth {
 public:
  // Collective. `bytes`: of all ranks together.
  ReadBandwidth(MPI_Comm comm, int threads, std::size_t bytes);
  ~ReadBandwidth();
  ReadBandwidth(const ReadBandwidth&) = delete;
  ReadBandwidth& operator=(const ReadBandwidth&) = delete;

  // Bytes per second of all ranks together. Collective. Also empties the caches.
  double measure();

 private:
  double sum(std::size_t first, std::size_t last) const;

  MPI_Comm comm_;
  int threads_;
  std::size_t size_;
  double* data_;  // in huge pages if available
};

// Multiplies square matrices that fit in the caches by OpenBLAS, with threads or on all ranks at the same
// time.
class ProductRate {
 public:
  ProductRate(MPI_Comm comm, int threads);
  // Operations per second of all ranks together. Collective.
  double measure();

 private:
  MPI_Comm comm_;
  int threads_;
  std::vector<double> a_, b_, c_;
};

}  // namespace peers
