#include "trisweep/solve/given_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "trisweep/core/permutation.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {
namespace {

// A matrix derived from one with factors: divided by `scale`, with rows and columns in the order `from`
// (empty: in the same order).
struct OtherRows {
  std::vector<Index> from;
  double scale;
};

// Returns the analysis of the other matrix, without fronts, which depend on the order of the matrix's
// entries: they are made when new values are factored.
std::shared_ptr<const Analysis> analysis_of(const OtherRows& other, const Analysis& analysis) {
  auto result = std::make_shared<Analysis>(Analysis{
      .ordering = analysis.ordering, .structure = analysis.structure, .kind = analysis.kind, .fronts = {}});
  ordering::Ordering& order = result->ordering;
  if (!other.from.empty())
    order = {.row_new = gathered(order.row_new, other.from),
             .col_new = gathered(order.col_new, other.from),
             .row_scale = gathered(order.row_scale, other.from),
             .col_scale = gathered(order.col_scale, other.from),
             .tree = order.tree};
  for (double& s : order.row_scale) s *= other.scale;
  return result;
}

// The factors of one matrix as factors of the other.
template <Scalar S>
class FactorsInOtherRows final : public FactorSource<S> {
 public:
  FactorsInOtherRows(std::shared_ptr<FactorSource<S>> source, std::shared_ptr<const Analysis> analysis,
                     double norm_one, double scale)
      : source_(std::move(source)),
        analysis_(std::move(analysis)),
        norm_one_(norm_one),
        log_scale_(std::log(scale)) {}

  std::shared_ptr<const Analysis> analysis(const mpi::Communicator&) override { return analysis_; }
  engine::PieceValues<S> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override {
    return source_->panels(comm, distribution, local_blocks);
  }
  void expect_last() override { source_->expect_last(); }
  double scaled_norm_one(const mpi::Communicator&) override { return norm_one_; }
  std::shared_ptr<const void> analysis_key(const mpi::Communicator& comm) const override {
    return source_->analysis_key(comm);
  }
  bool holds_matrix() const override { return source_->holds_matrix(); }
  void describe(FactorReport& report) const override {
    source_->describe(report);
    if (report.pivots) report.pivots->log_modulus -= double(analysis_->structure->n) * log_scale_;
  }

 private:
  std::shared_ptr<FactorSource<S>> source_;
  std::shared_ptr<const Analysis> analysis_;
  double norm_one_;
  double log_scale_;
};

// Returns on all ranks the caller's row numbers of all rows.
template <Scalar T>
std::vector<Index> all_numbers(const mpi::Communicator& comm, const LinearSystem<T>& system) {
  auto all = mpi::agree_on_error(comm, [&] {
    const std::span<const Index> number = system.numbers().number;
    return std::vector<Index>(number.begin(), number.end());
  });
  comm.broadcast(all);
  return all;
}

}  // namespace

template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_system(const mpi::Communicator& comm,
                                                   std::shared_ptr<FactorSource<S>> of_caller,
                                                   const LinearSystem<T>& system) {
  const auto given = of_caller->analysis(comm);
  const double known_norm = of_caller->scaled_norm_one(comm);
  const OtherRows other{all_numbers(comm, system), 1 / double(system.unit())};
  const auto analysis = mpi::agree_on_error(comm, [&] {
    const Index rows = system.matrix().partition().rows();
    if (given->structure->n != rows)
      throw Error(ErrorKind::usage,
                  fmt::format("factors of {} rows for a matrix of {}", given->structure->n, rows),
                  "pass the matrix that was factored");
    return analysis_of(other, *given);
  });
  const ordering::Ordering& order = analysis->ordering;
  const double norm = known_norm > 0 ? known_norm : system.scaled_norm_one(order.row_scale, order.col_scale);
  return mpi::agree_on_error(comm, [&] {
    return std::make_shared<FactorsInOtherRows<S>>(std::move(of_caller), analysis, norm, other.scale);
  });
}

template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_caller(const mpi::Communicator& comm,
                                                   std::shared_ptr<FactorSource<S>> of_system,
                                                   const LinearSystem<T>& system) {
  const auto made = of_system->analysis(comm);
  const double norm = of_system->scaled_norm_one(comm);
  const std::vector<Index> number = all_numbers(comm, system);
  return mpi::agree_on_error(comm, [&] {
    const OtherRows other{inverse_permutation(number), double(system.unit())};
    return std::make_shared<FactorsInOtherRows<S>>(std::move(of_system), analysis_of(other, *made), norm,
                                                   other.scale);
  });
}

#define INSTANTIATE(S, T)                                                                  \
  template std::shared_ptr<FactorSource<S>> factors_of_system(                             \
      const mpi::Communicator&, std::shared_ptr<FactorSource<S>>, const LinearSystem<T>&); \
  template std::shared_ptr<FactorSource<S>> factors_of_caller(                             \
      const mpi::Communicator&, std::shared_ptr<FactorSource<S>>, const LinearSystem<T>&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::solve
