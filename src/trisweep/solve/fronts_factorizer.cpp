#include "trisweep/solve/fronts_factorizer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/engine/panel_exchange.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/broadcast.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {
namespace {

// A scaled entry, in the order of the structure, in the precision of the matrix: rounding could hide that the
// matrix is not symmetric.
template <Scalar T>
struct ScaledEntry {
  Index row, col;
  T value;
};

// This rank's panels, and the rank that has each supernode's panels.
template <Scalar S>
class SourceOfFronts final : public FactorSource<S> {
 public:
  struct Made {
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<numeric::Factors<S>> factors;
    std::vector<Index> maker;  // rank with the panels, by supernode
    double norm_one = 0;
    Index perturbed = 0;             // over all ranks
    numeric::PivotSummary pivots{};  // over all ranks; on rank 0 only
  };

  explicit SourceOfFronts(Made made) : made_(std::move(made)) {}

  std::shared_ptr<const Analysis> analysis(const mpi::Communicator&) override { return made_.analysis; }
  engine::PieceValues<S> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override {
    return engine::collected<S>(comm, distribution, local_blocks, made_.factors, made_.maker,
                                is_last_ ? made_.factors.get() : nullptr);
  }
  void expect_last() override { is_last_ = true; }
  double scaled_norm_one(const mpi::Communicator&) override { return made_.norm_one; }
  std::shared_ptr<const void> analysis_key(const mpi::Communicator&) const override {
    return made_.analysis->structure;
  }
  bool holds_matrix() const override { return true; }
  void describe(FactorReport& report) const override {
    report.perturbed_pivots = made_.perturbed;
    report.delayed_pivots = made_.factors->delayed_pivots;
    if (!numeric::has_upper(made_.analysis->kind)) report.pivots = made_.pivots;
  }

 private:
  Made made_;
  bool is_last_ = false;
};

// The entries to be sent to the ranks that assemble them, with column sums and maximum of their magnitudes as
// rounded to F.
template <Scalar F, Scalar T>
struct ScaledEntries {
  std::vector<mpi::ListOfRank<ScaledEntry<T>>> lists;
  std::vector<double> column_sums;
  double largest = 0;

  // `rows`: the consecutive rows from `first` on.
  ScaledEntries(const matrix::Csr<T>& rows, Index first, Index ranks, const Analysis& analysis,
                const distribution::FrontOwners& owners) {
    const ordering::Ordering& o = analysis.ordering;
    const symbolic::Structure& s = *analysis.structure;
    std::vector<std::vector<ScaledEntry<T>>> of_rank(usize(ranks));
    column_sums.resize(usize(s.n));
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto row = usize(first + i);
      for (const Offset e : rows.pattern.entries(i)) {
        const auto col = usize(rows.pattern.col[usize(e)]);
        const auto scale = static_cast<RealOf<T>>(o.row_scale[row] * o.col_scale[col]);
        const T value = rows.value[usize(e)] * scale;
        const auto modulus = double(std::abs(static_cast<F>(value)));
        column_sums[col] += modulus;
        largest = std::max(largest, modulus);
        const ScaledEntry<T> entry = in_lower({o.row_new[row], o.col_new[col], value}, analysis.kind);
        of_rank[usize(owners.of_column[usize(std::min(entry.row, entry.col))])].push_back(entry);
      }
    }
    lists = mpi::lists_of_ranks(std::move(of_rank));
  }

  // The mirror image of an upper entry if only the lower triangle is factored: both must be equal.
  static ScaledEntry<T> in_lower(const ScaledEntry<T>& entry, numeric::Kind kind) {
    if (numeric::has_upper(kind) || entry.row >= entry.col) return entry;
    return {entry.col, entry.row, numeric::mirrored(numeric::upper_of_lower(kind), entry.value)};
  }
};

// Converts received entries to compressed rows of the whole size, with ascending columns. If only one
// triangle is factored, each entry below the diagonal must have arrived twice with the same value, or once as
// a zero, and each diagonal entry be its own mirror image; otherwise returns false.
template <Scalar F, Scalar T>
bool put_in_rows(const std::vector<mpi::ListOfRank<ScaledEntry<T>>>& lists, Index n, numeric::Kind kind,
                 matrix::Csr<F>& a) {
  std::vector<Offset> begin(usize(n) + 1);
  for (const auto& list : lists) {
    for (const ScaledEntry<T>& entry : list.entry) ++begin[usize(entry.row) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::pair<Index, T>> all(usize(begin.back()));  // by row
  for (const auto& list : lists) {
    for (const ScaledEntry<T>& entry : list.entry)
      all[usize(begin[usize(entry.row)]++)] = {entry.col, entry.value};
  }
  a = {{n, n, {0}, {}}, {}};
  a.pattern.row_ptr.reserve(begin.size());
  a.pattern.col.reserve(all.size());
  a.value.reserve(all.size());
  const bool symmetric = !numeric::has_upper(kind);
  auto entry = all.begin();
  for (Index i = 0; i < n; ++i) {
    const auto end = all.begin() + begin[usize(i)];
    std::sort(entry, end, [](const auto& one, const auto& other) { return one.first < other.first; });
    for (; entry < end; ++entry) {
      const auto [col, value] = *entry;
      a.pattern.col.push_back(col);
      a.value.push_back(static_cast<F>(value));
      if (!symmetric) continue;
      const bool came_twice = col != i && entry + 1 < end && entry[1].first == col;
      if (came_twice) ++entry;
      const T mirror = col == i     ? numeric::mirrored(numeric::upper_of_lower(kind), value)
                       : came_twice ? entry->second
                                    : T(0);
      if (value != mirror) return false;
    }
    a.pattern.row_ptr.push_back(std::ssize(a.value));
  }
  return true;
}

}  // namespace

template <Scalar F, Scalar T>
void FrontsFactorizer<F, T>::begin(const mpi::Communicator& comm,
                                   const std::shared_ptr<const Analysis>& analysis) {
  char is_known = analysis == analysis_;
  comm.broadcast(is_known);
  if (is_known == 0) analysis_ = broadcast_analysis(comm, analysis);
  last_ = nullptr;
  shares_fronts_ = true;
  return_free_memory();
}

template <Scalar F, Scalar T>
void FrontsFactorizer<F, T>::start_from(const mpi::Communicator& comm,
                                        const std::shared_ptr<const Analysis>& analysis, bool shares_fronts) {
  if (current_ == analysis && are_shared_ == shares_fronts) return;
  fronts_.reset();
  current_ = nullptr;
  mpi::agree_on_error(comm, [&] {
    owners_ = distribution::FrontOwners(*analysis->structure, comm.size(),
                                        shares_fronts ? std::optional(analysis->kind) : std::nullopt);
  });
  current_ = analysis;
  are_shared_ = shares_fronts;
}

// The entries assembled into this rank's fronts.
template <Scalar F, Scalar T>
struct FrontsFactorizer<F, T>::Values {
  matrix::Csr<F> rows;               // of the whole size
  double largest = 0, norm_one = 0;  // of the whole scaled matrix
};

template <Scalar F, Scalar T>
auto FrontsFactorizer<F, T>::take_entries(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                          const distribution::RowPartition& partition)
    -> std::optional<Values> {
  auto entries = mpi::agree_on_error(comm, [&] {
    return ScaledEntries<F, T>(rows, partition.first(comm.rank()), comm.size(), *current_, owners_);
  });
  comm.sum(entries.column_sums);
  Values values;
  values.largest = comm.max(entries.largest);
  values.norm_one = std::ranges::max(entries.column_sums);
  const auto lists = mpi::exchange_lists(comm, std::move(entries.lists));
  const bool as_expected = mpi::agree_on_error(
      comm, [&] { return put_in_rows(lists, current_->structure->n, current_->kind, values.rows); });
  if (comm.max(double(!as_expected)) > 0) return std::nullopt;
  return values;
}

template <Scalar F, Scalar T>
std::optional<FrontFactors<F>> FrontsFactorizer<F, T>::factor(const mpi::Communicator& comm,
                                                              const matrix::Csr<T>& rows,
                                                              const distribution::RowPartition& partition,
                                                              const numeric::FactorizationOptions& options,
                                                              Observer& observer) {
  const mpi::LongWork long_work(comm);
  if (last_ && last_ != analysis_) {
    auto again = factor_with(last_, comm, rows, partition, options, observer);
    if (again && again->perturbed_pivots == 0 && double(again->bytes) <= most_growth * double(first_bytes_))
      return again;
  }
  auto made = factor_with(analysis_, comm, rows, partition, options, observer);
  if (made) first_bytes_ = made->bytes;
  return made;
}

// Bounded growth (options.growth) is supported only in fronts of a single rank.
template <Scalar F, Scalar T>
std::optional<FrontFactors<F>> FrontsFactorizer<F, T>::factor_with(
    const std::shared_ptr<const Analysis>& analysis, const mpi::Communicator& comm,
    const matrix::Csr<T>& rows, const distribution::RowPartition& partition,
    const numeric::FactorizationOptions& options, Observer& observer) {
  const bool shares_fronts = shares_fronts_ && options.growth == 0;
  start_from(comm, analysis, shares_fronts);
  auto made = try_factor(comm, rows, partition, options, observer);
  if (!shares_fronts || shares_fronts_) return made;
  start_from(comm, analysis, false);
  return try_factor(comm, rows, partition, options, observer);
}

// Factors with the current analysis. Returns nullopt also if a shared front would have to delay pivots; no
// front is shared then.
template <Scalar F, Scalar T>
std::optional<FrontFactors<F>> FrontsFactorizer<F, T>::try_factor(
    const mpi::Communicator& comm, const matrix::Csr<T>& rows, const distribution::RowPartition& partition,
    const numeric::FactorizationOptions& options, Observer& observer) {
  const auto start = Clock::now();
  const auto values = take_entries(comm, rows, partition);
  if (!values) return std::nullopt;
  const bool is_first = !fronts_;  // later factorizations would reuse the memory freed
  mpi::agree_on_error(comm, [&] {
    if (!fronts_) {
      const std::vector<char> panels = distribution::are_of(owners_.of_supernode, comm.rank());
      const std::vector<char> assembled = owners_.assembled_by(comm.rank());
      fronts_.emplace(numeric::make_fronts(values->rows.pattern, {}, {}, current_->structure, current_->kind,
                                           {panels, assembled}));
    }
    require_memory(usize(fronts_->factor_entries()) * sizeof(F), "this rank's part of the factorization",
                   usize(options.threads) * numeric::addresses_of_thread);
  });
  auto [end, factors] =
      factor_fronts<F>(comm, *fronts_, owners_, {values->rows.value, static_cast<RealOf<F>>(values->largest)},
                       options, observer);
  if (is_first) return_free_memory();
  shares_fronts_ = shares_fronts_ && end != FrontsEnd::delays;
  if (!factors) return std::nullopt;
  typename SourceOfFronts<F>::Made made{.analysis = current_, .norm_one = values->norm_one};
  made.perturbed = static_cast<Index>(comm.sum(double(factors->perturbed_pivots)));
  const auto summaries = comm.gather(factors->pivots);
  std::vector<std::uint64_t> maker;
  mpi::agree_on_error(comm, [&] {
    for (const numeric::PivotSummary& of_rank : summaries) made.pivots += of_rank;
    made.pivots.log_modulus -= log_of_symmetric_scales(current_->ordering);
    if (!factors->row_new.empty()) made.analysis = with_delayed_pivots(*current_, *factors);
    for (Index k = 0; k < factors->structure->supernodes(); ++k)
      maker.push_back(factors->has(k) ? static_cast<std::uint64_t>(comm.rank()) : 0);
  });
  comm.max(maker);
  last_ = made.perturbed == 0 ? made.analysis : nullptr;
  FrontFactors<F> result{
      .perturbed_pivots = made.perturbed,
      .bytes =
          numeric::estimate_factors(*made.analysis->structure, made.analysis->kind, sizeof(F)).factor_bytes};
  result.source = mpi::agree_on_error(comm, [&] {
    made.maker.assign(maker.begin(), maker.end());
    made.factors = std::make_shared<numeric::Factors<F>>(*std::move(factors));
    return std::make_shared<SourceOfFronts<F>>(std::move(made));
  });
  result.seconds = comm.max(seconds_since(start));
  return result;
}

#define INSTANTIATE(F, T) template class FrontsFactorizer<F, T>;
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::solve
