// Trisweep as a user calls it: `Solver`, which refines and verifies its solutions.

#include "trisweep/solve/solver.hpp"

#include <fmt/format.h>

#include "peer.hpp"
#include "trisweep/version.hpp"

namespace peers {
namespace {

class OurSolver : public Peer {
 public:
  OurSolver(const Problem& p, const Settings& settings)
      : a_{.pattern = {.rows = p.rows,
                       .cols = p.rows,
                       .row_ptr = {p.row_ptr.begin(), p.row_ptr.end()},
                       .col = {p.col.begin(), p.col.end()}},
           .value = p.value} {
    options_.threads = settings.threads;
    options_.nrhs = settings.nrhs;
    if (settings.compress > 0) options_.compress = {.eps = settings.compress};
  }

  void analyze() override {}  // done by factor(), since factors may need another order

  void factor() override { solver_.emplace(MPI_COMM_WORLD, trisweep::BlockRows<double>{.a = a_}, options_); }
  void refactor() override { solver_->refactor(a_.value); }

  int local_rows() const override { return solver_->rows(); }
  bool refines() const override { return true; }

  void solve(int nrhs, const double* b, double* x) override {
    answer_ = solver_->solve({b, local_rows(), nrhs}, {x, local_rows(), nrhs});
  }

  Facts facts() const override {
    const auto& report = solver_->report();
    const auto& factor = report.factor;
    const bool cholesky = factor.kind == "cholesky";
    return {.version = trisweep::version(),
            .kind = factor.kind,
            .ordering = "its own",
            .entries_swept = double(cholesky ? 2 * factor.nonzeros_l : factor.nonzeros_l + factor.nonzeros_u),
            .numeric_seconds = factor.seconds + report.distribution_seconds + report.plan_seconds,
            .refused = answer_.solved() ? "" : refusal(),
            .corrections = answer_.refinement_steps};
  }

 private:
  std::string refusal() const {
    return fmt::format("{}, componentwise backward error {:.1e}",
                       answer_.singular ? "called singular" : "not called solved",
                       answer_.error.componentwise);
  }

  trisweep::matrix::Csr<double> a_;
  trisweep::solve::SolverOptions options_;
  std::optional<trisweep::Solver<double>> solver_;
  trisweep::solve::Answer answer_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<OurSolver>(problem, settings);
}

}  // namespace peers
