// Trisweep: with the default plan, or proportional mapping with whole separators inverted and postal trees;
// with panels uncompressed or compressed.

#include <bit>

#include "peer.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/triangular_solver.hpp"
#include "trisweep/version.hpp"

namespace peers {
namespace {

using trisweep::Index;
using trisweep::numeric::Kind;
using trisweep::solve::TriangularSolver;

trisweep::matrix::Csr<double> csr(const Problem& p) {
  return {.pattern = {.rows = p.rows,
                      .cols = p.rows,
                      .row_ptr = {p.row_ptr.begin(), p.row_ptr.end()},
                      .col = {p.col.begin(), p.col.end()}},
          .value = p.value};
}

class Trisweep : public Peer {
 public:
  Trisweep(const Problem& problem, const Settings& settings) : a_(csr(problem)), definite_(problem.definite) {
    options_.grid = {.px = settings.px, .py = settings.py, .pz = settings.pz};
    options_.threads = settings.threads;
    options_.mapping = trisweep::distribution::find_mapping(settings.mapping);
    options_.compression.eps = settings.compress;
    if (settings.mapping == "proportional") {
      options_.tree = trisweep::plan::postal_tree;
      analysis_options_.symbolic.whole_levels =
          std::bit_width(static_cast<unsigned>(options_.grid.ranks() - 1));
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  void analyze() override {
    if (rank_ != 0) return;
    auto analysis = trisweep::solve::analyze_as(definite_ ? Kind::cholesky : Kind::lu, a_, analysis_options_);
    if (options_.compression.eps > 0) analysis = trisweep::solve::in_clusters(a_, std::move(analysis));
    analysis_ = std::make_shared<const trisweep::solve::Analysis>(std::move(analysis));
  }

  void factor() override {
    std::shared_ptr<const trisweep::solve::Factorization<double>> factorization;
    if (rank_ == 0) {
      factorization = std::make_shared<const trisweep::solve::Factorization<double>>(
          trisweep::solve::factor<double>(a_, analysis_, {.numeric = {.threads = options_.threads}}));
      facts_ = facts_of(*factorization);
    }
    solver_ = std::make_unique<TriangularSolver<double>>(MPI_COMM_WORLD, std::move(factorization), options_);
    if (const auto& made = solver_->compression())
      facts_.entries_swept *= made->bytes() / made->uncompressed_bytes();
  }

  int first_row() const override { return solver_->partition().first(rank_); }
  int local_rows() const override { return solver_->partition().count(rank_); }

  void solve(int nrhs, const double* b, double* x) override {
    solver_->solve(trisweep::Op::none, {b, local_rows(), nrhs}, {x, local_rows(), nrhs});
  }

  Facts facts() const override { return facts_; }

 private:
  static Facts facts_of(const trisweep::solve::Factorization<double>& f) {
    const bool cholesky = f.factors->kind == Kind::cholesky;
    const auto e = trisweep::numeric::estimate(*f.factors->structure, f.factors->kind, sizeof(double));
    return {.version = trisweep::version(),
            .kind = cholesky ? "cholesky" : "lu",
            .ordering = "ours",
            .entries_swept = double(cholesky ? 2 * e.nonzeros_l : e.nonzeros_l + e.nonzeros_u)};
  }

  const trisweep::numeric::OneBlasThread one_blas_thread_{};
  trisweep::matrix::Csr<double> a_;
  bool definite_;
  trisweep::solve::AnalysisOptions analysis_options_{.ordering = {.matching = false, .equilibrate = false},
                                                     .symbolic = {}};
  trisweep::solve::TriangularSolverOptions options_;
  int rank_ = 0;
  std::shared_ptr<const trisweep::solve::Analysis> analysis_;
  std::unique_ptr<TriangularSolver<double>> solver_;
  Facts facts_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<Trisweep>(problem, settings);
}

}  // namespace peers
