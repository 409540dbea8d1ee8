#include "trisweep/solve/given_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "trisweep/core/permutation.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {
namespace {

// The analysis of another matrix: of that one times 1 / scale, with its rows and columns in the order `from`
// (empty: in the same). Without fronts, which go by the entries of the matrix: they are made where other
// values are factored.
Analysis of_other_rows(const Analysis& analysis, std::span<const Index> from, double scale) {
  Analysis result{.ordering = analysis.ordering, .structure = analysis.structure, .kind = analysis.kind};
  ordering::Ordering& order = result.ordering;
  if (!from.empty())
    order = {.row_new = gathered(order.row_new, from),
             .col_new = gathered(order.col_new, from),
             .row_scale = gathered(order.row_scale, from),
             .col_scale = gathered(order.col_scale, from),
             .tree = order.tree};
  for (double& s : order.row_scale) s *= scale;
  return result;
}

template <Scalar S, Scalar T>
class FactorsOfSystem final : public FactorSource<S> {
 public:
  FactorsOfSystem(std::shared_ptr<FactorSource<S>> source, const LinearSystem<T>& system)
      : source_(std::move(source)), system_(system) {}

  std::shared_ptr<const Analysis> analysis(const mpi::Communicator& comm) override {
    if (!analysis_) {
      const auto given = source_->analysis(comm);
      std::vector<Index> from;
      mpi::agree_on_error(comm, [&] {
        const std::span<const Index> number = system_.numbers().number;
        from.assign(number.begin(), number.end());
      });
      comm.broadcast(from);
      mpi::agree_on_error(comm, [&] {
        if (given->structure->n != system_.matrix().partition().rows())
          throw Error(ErrorKind::usage,
                      fmt::format("factors of {} rows for a matrix of {}", given->structure->n,
                                  system_.matrix().partition().rows()),
                      "pass the matrix that was factored");
        analysis_ = std::make_shared<const Analysis>(of_other_rows(*given, from, 1 / double(system_.unit())));
      });
    }
    return analysis_;
  }

  engine::PieceValues<S> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override {
    return source_->panels(comm, distribution, local_blocks);
  }

  double scaled_norm_one(const mpi::Communicator& comm) override {
    if (const double known = source_->scaled_norm_one(comm); known > 0) return known;
    const ordering::Ordering& order = analysis_->ordering;
    const Index first = system_.numbers().first;
    const std::vector<double> sums = system_.column_sums(
        [&](Index i, const T& v) { return order.row_scale[usize(first + i)] * double(std::abs(v)); });
    double norm = 0;
    for (std::size_t j = 0; j < sums.size(); ++j) norm = std::max(norm, sums[j] * order.col_scale[j]);
    return norm;
  }

  std::shared_ptr<const void> analysis_key(const mpi::Communicator& comm) const override {
    return source_->analysis_key(comm);
  }
  bool holds_matrix() const override { return source_->holds_matrix(); }
  void describe(FactorReport& report) const override { source_->describe(report); }

 private:
  std::shared_ptr<FactorSource<S>> source_;
  const LinearSystem<T>& system_;
  std::shared_ptr<const Analysis> analysis_;
};

}  // namespace

template <Scalar T>
FactorSources<T> sources_of(const mpi::Communicator& comm, GivenFactors<T> factors) {
  std::array<char, 2> has{factors.in_full != nullptr, factors.in_single != nullptr};
  comm.broadcast(has);
  FactorSources<T> sources{.diagonal = factors.diagonal};
  mpi::agree_on_error(comm, [&] {
    if (has[0] != 0) sources.in_full = root_factors(std::move(factors.in_full));
    if (has[1] != 0) sources.in_single = root_factors(std::move(factors.in_single));
  });
  return sources;
}

template <Scalar S, Scalar T>
std::shared_ptr<FactorSource<S>> factors_of_system(std::shared_ptr<FactorSource<S>> of_caller,
                                                   const LinearSystem<T>& system) {
  return std::make_shared<FactorsOfSystem<S, T>>(std::move(of_caller), system);
}

template <Scalar S, Scalar T>
std::shared_ptr<const Factorization<S>> factors_of_caller(const Factorization<S>& of_system,
                                                          const LinearSystem<T>& system) {
  return std::make_shared<const Factorization<S>>(Factorization<S>{
      std::make_shared<const Analysis>(of_other_rows(
          *of_system.analysis, inverse_permutation(system.numbers().number), double(system.unit()))),
      of_system.factors, of_system.scaled_norm_one});
}

#define INSTANTIATE(T) template FactorSources<T> sources_of(const mpi::Communicator&, GivenFactors<T>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

#define INSTANTIATE_STORAGE(S, T)                                                               \
  template std::shared_ptr<FactorSource<S>> factors_of_system(std::shared_ptr<FactorSource<S>>, \
                                                              const LinearSystem<T>&);          \
  template std::shared_ptr<const Factorization<S>> factors_of_caller(const Factorization<S>&,   \
                                                                     const LinearSystem<T>&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::solve
