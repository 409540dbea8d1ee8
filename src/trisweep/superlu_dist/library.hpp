#pragma once
// SuperLU_DIST's functions by scalar type, and owners of its objects. Included by one source file only:
// SuperLU_DIST's headers define common words as macros.

#include <superlu_ddefs.h>
#include <superlu_zdefs.h>

#undef SLU_MAX
#undef SLU_MIN

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/superlu_dist/entries.hpp"

extern "C" {  // omp.h needs the compiler's option for OpenMP
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace trisweep::superlu_dist {

template <Scalar S>
struct Library;

#define TRISWEEP_SUPERLU_DIST(S, PREFIX, VALUE, TYPE)                          \
  template <>                                                                  \
  struct Library<S> {                                                          \
    using Value = VALUE;                                                       \
    using Permutation = PREFIX##ScalePermstruct_t;                             \
    using Lu = PREFIX##LUstruct_t;                                             \
    static constexpr Dtype_t type = TYPE;                                      \
    static constexpr auto create_rows = PREFIX##Create_CompRowLoc_Matrix_dist; \
    static constexpr auto init_permutation = PREFIX##ScalePermstructInit;      \
    static constexpr auto free_permutation = PREFIX##ScalePermstructFree;      \
    static constexpr auto init_lu = PREFIX##LUstructInit;                      \
    static constexpr auto free_entries = PREFIX##Destroy_LU;                   \
    static constexpr auto free_lu = PREFIX##LUstructFree;                      \
    static constexpr auto distribute = PREFIX##dist_psymbtonum;                \
    static constexpr auto factor = p##PREFIX##gstrf;                           \
  };
TRISWEEP_SUPERLU_DIST(double, d, double, SLU_D)
TRISWEEP_SUPERLU_DIST(std::complex<double>, z, doublecomplex, SLU_Z)
#undef TRISWEEP_SUPERLU_DIST

// A 2D grid of all ranks, as square as possible, and its communicators. Made and destroyed collectively.
class Grid {
 public:
  explicit Grid(const mpi::Communicator& comm) {
    int rows = 1;
    for (int r = 2; r * r <= comm.size(); ++r) {
      if (comm.size() % r == 0) rows = r;
    }
    superlu_gridinit(comm.handle(), rows, comm.size() / rows, &grid_);
  }
  ~Grid() { superlu_gridexit(&grid_); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  gridinfo_t* get() { return &grid_; }
  // Only the numbers of the grid, which suffice to read and free factors.
  gridinfo_t without_communicators() const {
    gridinfo_t copy = grid_;
    copy.comm = copy.rscp.comm = copy.cscp.comm = MPI_COMM_NULL;
    return copy;
  }

 private:
  gridinfo_t grid_{};
};

// The first 2^k ranks, which SuperLU_DIST's symbolic factorization runs on.
class SymbolicRanks {
 public:
  SymbolicRanks(const gridinfo_t& grid, int count) {
    mpi::check(MPI_Comm_split(grid.comm, grid.iam < count ? 0 : MPI_UNDEFINED, grid.iam, &comm_),
               "MPI_Comm_split");
  }
  ~SymbolicRanks() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  SymbolicRanks(const SymbolicRanks&) = delete;
  SymbolicRanks& operator=(const SymbolicRanks&) = delete;
  MPI_Comm* get() { return &comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// This rank's L and U.
template <Scalar S>
class Factors {
 public:
  Factors(Index n, const gridinfo_t& grid) : n_(n), grid_(grid) { Library<S>::init_lu(n, &lu_); }
  ~Factors() {
    if (distributed_) Library<S>::free_entries(n_, &grid_, &lu_);
    Library<S>::free_lu(&lu_);
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  typename Library<S>::Lu* get() { return &lu_; }
  void distributed() { distributed_ = true; }
  std::vector<Index> first_columns() const {
    const auto& of = *lu_.Glu_persist;
    return {of.xsup, of.xsup + of.supno[n_ - 1] + 1};
  }
  template <class Visit>
  void visit(Columns columns, const Visit& visit) const {
    const auto supernodes = static_cast<Index>(lu_.Glu_persist->supno[n_ - 1]) + 1;
    visit_lower<S>(lu_, grid_, supernodes, columns, visit);
    visit_upper<S>(lu_, grid_, supernodes, columns, visit);
  }

 private:
  Index n_;
  gridinfo_t grid_;
  typename Library<S>::Lu lu_{};
  bool distributed_ = false;
};

// One thread for PT-SCOTCH, where it replaces ParMETIS: with several, ranks of version 7.0.3 may wait for
// each other for ever, unless MPI was initialized with MPI_THREAD_MULTIPLE.
class OneOrderingThread {
 public:
  OneOrderingThread() : was_set_(std::getenv(name) != nullptr) { setenv(name, "1", 0); }
  ~OneOrderingThread() {
    if (!was_set_) unsetenv(name);
  }
  OneOrderingThread(const OneOrderingThread&) = delete;
  OneOrderingThread& operator=(const OneOrderingThread&) = delete;

 private:
  static constexpr const char* name = "SCOTCH_PTHREAD_NUMBER";
  bool was_set_;
};

// The OpenMP threads of SuperLU_DIST, for the time of a factorization.
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace trisweep::superlu_dist
