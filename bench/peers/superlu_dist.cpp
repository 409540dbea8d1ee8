// SuperLU_DIST: supernodal LU with static pivoting, on a Px x Py grid of ranks, or on Px x Py x Pz by its 3D
// algorithm. Its solve on a 2D grid is timed from the routine with the sweeps; that on a 3D grid only comes
// with its driver.

#include <fmt/format.h>
#include <superlu-dist/superlu_ddefs.h>

#include <algorithm>
#include <stdexcept>

// Its headers define these as macros.
#undef SLU_MAX
#undef SLU_MIN

#include "peer.hpp"

namespace peers {
namespace {

// A copy of an array that SuperLU_DIST will free.
template <class To, class From>
To* copy_of(const From* first, std::size_t size) {
  auto* copy = static_cast<To*>(SUPERLU_MALLOC((size + 1) * sizeof(To)));
  if (copy == nullptr) throw std::bad_alloc();
  std::copy_n(first, size, copy);
  return copy;
}

class SuperluDist : public Peer {
 public:
  SuperluDist(const Problem& p, const Settings& s)
      : n_(p.rows), order_(p.new_of_old), nrhs_(s.nrhs), three_d_(s.pz > 1) {
    if (three_d_) {
      superlu_gridinit3d(MPI_COMM_WORLD, s.px, s.py, s.pz, &grid3d_);
    } else {
      superlu_gridinit(MPI_COMM_WORLD, s.px, s.py, &grid_);
    }
    set_default_options_dist(&options_);
    options_.Equil = NO;
    options_.RowPerm = NOROWPERM;
    options_.ColPerm = MY_PERMC;
    options_.IterRefine = NOREFINE;
    options_.PrintStat = NO;
    deal_out(p);
    dScalePermstructInit(n_, n_, &permutation_);
    dLUstructInit(n_, &lu_);
    PStatInit(&stat_);
  }
  // Its memory is freed with the process: destroying a 3D solve differs between any two of its versions.
  ~SuperluDist() override = default;
  SuperluDist(const SuperluDist&) = delete;
  SuperluDist& operator=(const SuperluDist&) = delete;

  void analyze() override { std::copy(order_.begin(), order_.end(), permutation_.perm_c); }

  // One routine does all of its steps, and also solves once.
  void factor() override {
    std::vector<double> x(static_cast<std::size_t>(local_) * static_cast<std::size_t>(nrhs_), 1.0);
    drive(nrhs_, x.data());
    options_.Fact = FACTORED;
    numeric_seconds_ = stat_.utime[FACT] + stat_.utime[DIST];
    if (three_d_) return;
    superlu_dist_mem_usage_t memory;
    dQuerySpace_dist(n_, &lu_, &grid_, &stat_, &memory);
    entries_ = memory.for_lu / sizeof(double);  // including indices
    MPI_Allreduce(MPI_IN_PLACE, &entries_, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

  int first_row() const override { return first_; }
  int local_rows() const override { return local_; }

  void solve(int nrhs, const double*, double* x) override {
    if (three_d_) return drive(nrhs, x);
    int info = 0;
    pdgstrs(&options_, n_, &lu_, &permutation_, &grid_, x, local_, first_, local_, nrhs, &solve_, &stat_,
            &info);
    require(info);
    std::vector<double> permuted(x, x + std::ptrdiff_t{local_} * nrhs);
    pdPermute_Dense_Matrix(first_, local_, solve_.row_to_proc, solve_.inv_perm_c, permuted.data(), local_, x,
                           local_, nrhs, &grid_);
  }

  Facts facts() const override {
    return {.version = fmt::format("{}.{}.{}", SUPERLU_DIST_MAJOR_VERSION, SUPERLU_DIST_MINOR_VERSION,
                                   SUPERLU_DIST_PATCH_VERSION),
            .kind = "lu",
            .ordering = "ours",
            .entries_swept = entries_,
            .numeric_seconds = numeric_seconds_};
  }

 private:
  // Gives each rank contiguous rows of the matrix.
  void deal_out(const Problem& p) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    first_ = n_ / ranks * rank;
    local_ = rank + 1 == ranks ? n_ - first_ : n_ / ranks;
    const auto begin = static_cast<std::size_t>(p.row_ptr[static_cast<std::size_t>(first_)]);
    const auto end = static_cast<std::size_t>(p.row_ptr[static_cast<std::size_t>(first_ + local_)]);
    auto* row_ptr = copy_of<int_t>(p.row_ptr.data() + first_, static_cast<std::size_t>(local_) + 1);
    std::for_each(row_ptr, row_ptr + local_ + 1, [&](int_t& at) { at -= static_cast<int_t>(begin); });
    dCreate_CompRowLoc_Matrix_dist(&a_, n_, n_, static_cast<int_t>(end - begin), local_, first_,
                                   copy_of<double>(p.value.data() + begin, end - begin),
                                   copy_of<int_t>(p.col.data() + begin, end - begin), row_ptr, SLU_NR_loc,
                                   SLU_D, SLU_GE);
  }

  void drive(int nrhs, double* x) {
    std::vector<double> error(static_cast<std::size_t>(nrhs));
    int info = 0;
    if (three_d_) {
      pdgssvx3d(&options_, &a_, &permutation_, x, local_, nrhs, &grid3d_, &lu_, &solve_, error.data(), &stat_,
                &info);
    } else {
      pdgssvx(&options_, &a_, &permutation_, x, local_, nrhs, &grid_, &lu_, &solve_, error.data(), &stat_,
              &info);
    }
    require(info);
  }

  static void require(int info) {
    if (info != 0) throw std::runtime_error(fmt::format("SuperLU_DIST: info {}", info));
  }

  int n_, first_ = 0, local_ = 0;
  std::vector<int> order_;
  int nrhs_;  // its buffers have this size; no other number works on several ranks
  bool three_d_;
  gridinfo_t grid_{};
  gridinfo3d_t grid3d_{};
  superlu_dist_options_t options_{};
  SuperMatrix a_{};
  dScalePermstruct_t permutation_{};
  dLUstruct_t lu_{};
  dSOLVEstruct_t solve_{};
  SuperLUStat_t stat_{};
  double entries_ = 0, numeric_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<SuperluDist>(problem, settings);
}

}  // namespace peers
