// MUMPS: multifrontal, L L^T where the matrix is definite, else LU. Threads are its own (OpenMP) and the
// BLAS's.

#include <dmumps_c.h>
#include <fmt/format.h>

#include <stdexcept>

#include "peer.hpp"

namespace peers {
namespace {

class Mumps : public Peer {
 public:
  Mumps(const Problem& p, const Settings& settings)
      : definite_(p.definite), own_order_(settings.own_order), entries_(p.definite ? upper_triangle(p) : p) {
    for (int i = 0; i < entries_.rows; ++i) {
      row_.resize(static_cast<std::size_t>(entries_.row_ptr[static_cast<std::size_t>(i) + 1]), i + 1);
    }
    for (int& j : entries_.col) ++j;
    for (int& i : entries_.new_of_old) ++i;
    id_.comm_fortran = MPI_Comm_c2f(MPI_COMM_WORLD);
    id_.par = 1;
    id_.sym = definite_ ? 1 : 0;
    call(-1);
    for (const int stream : {1, 2, 3, 4}) icntl(stream) = 0;  // no output
    if (!own_order_) {
      icntl(6) = 0;  // no row permutation
      icntl(7) = 1;  // our ordering
      icntl(8) = 0;  // no scaling
    }
    if (settings.compress > 0) {
      icntl(35) = 2;  // low rank in the factorization and in the solve
      id_.cntl[6] = settings.compress;
    }
    id_.n = entries_.rows;
    id_.nnz = static_cast<MUMPS_INT8>(entries_.col.size());
    id_.irn = row_.data();
    id_.jcn = entries_.col.data();
    id_.a = entries_.value.data();
    id_.perm_in = entries_.new_of_old.data();
  }
  ~Mumps() override {
    id_.job = -2;
    dmumps_c(&id_);
  }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;

  void analyze() override { call(1); }
  void factor() override { call(2); }
  int local_rows() const override { return entries_.rows; }

  void solve(int nrhs, const double*, double* x) override {
    icntl(27) = nrhs;  // all at once
    id_.nrhs = nrhs;
    id_.lrhs = entries_.rows;
    id_.rhs = x;
    call(3);
  }

  Facts facts() const override {
    const int stored = id_.infog[34];  // after compression, if any; in millions when negative
    const double entries = stored < 0 ? -1e6 * stored : stored;
    return {.version = id_.version_number,
            .kind = definite_ ? "cholesky" : "lu",
            .ordering = own_order_ ? "its own" : "ours",
            .entries_swept = (definite_ ? 2 : 1) * entries};
  }

 private:
  int& icntl(int i) { return id_.icntl[i - 1]; }

  void call(int job) {
    id_.job = job;
    dmumps_c(&id_);
    if (id_.infog[0] < 0)
      throw std::runtime_error(fmt::format("MUMPS: error {} {}", id_.infog[0], id_.infog[1]));
  }

  bool definite_, own_order_;
  Problem entries_;
  std::vector<int> row_;
  DMUMPS_STRUC_C id_{};
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<Mumps>(problem, settings);
}

}  // namespace peers
