#include "trisweep/solve/distributed_fronts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/engine/panel_exchange.hpp"
#include "trisweep/krylov/block_rows.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/solve/broadcast.hpp"
#include "trisweep/solve/fronts_of_ranks.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {
namespace {

// In the order of the structure, scaled.
template <Scalar S>
struct ScaledEntry {
  Index row, col;
  S value;
};

// This rank's panels, and what all ranks know of the others'.
template <Scalar S>
class FrontFactors final : public FactorSource<S> {
 public:
  struct Made {
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const numeric::Factors<S>> factors;
    std::vector<Index> maker;  // by supernode
    double norm_one = 0;
    Index perturbed = 0;             // on all ranks
    numeric::PivotSummary pivots{};  // likewise; on rank 0
    double analysis_seconds = 0, seconds = 0;
  };

  explicit FrontFactors(Made made) : made_(std::move(made)) {}

  std::shared_ptr<const Analysis> analysis(const mpi::Communicator&) override { return made_.analysis; }
  engine::PieceValues<S> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override {
    return engine::collected(comm, distribution, local_blocks, made_.factors, made_.maker);
  }
  double scaled_norm_one(const mpi::Communicator&) override { return made_.norm_one; }
  std::shared_ptr<const void> analysis_key(const mpi::Communicator&) const override {
    return made_.analysis->structure;
  }
  bool holds_matrix() const override { return true; }
  void describe(FactorReport& report) const override {
    report.perturbed_pivots = made_.perturbed;
    report.delayed_pivots = made_.factors->delayed_pivots;
    if (!numeric::has_upper(made_.analysis->kind)) report.pivots = made_.pivots;
    report.analysis_seconds += made_.analysis_seconds;
    report.seconds += made_.seconds;
  }

 private:
  Made made_;
};

// What a factorization is asked of: this rank's rows.
template <Scalar S>
struct RowsToFactor {
  const mpi::Communicator& comm;
  const matrix::Csr<S>& a;
  const distribution::RowPartition& partition;
  const EngineRequest& request;
};

// Rank 0's, of the whole matrix, which it has meanwhile; on all ranks. `failed`: how many kinds have.
// Cholesky does where the matrix is not definite; LU, the last one, never does.
template <Scalar S>
std::shared_ptr<const Analysis> analyze_on_root(const RowsToFactor<S>& rows, int failed) {
  const auto& [comm, a, partition, request] = rows;
  std::shared_ptr<const Analysis> made;
  auto copy = mpi::agree_on_error(comm, [&] { return a; });
  matrix::Csr<S> whole = krylov::collect(comm, std::move(copy), partition);
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() != 0) return;
    const auto kind = failed == 0   ? chosen_kind(request.kind, whole)
                      : failed == 1 ? indefinite_kind(whole)
                                    : numeric::Kind::lu;
    const model::PlanChoice parts{.grid = {1, comm.size(), 1}, .mapping = "proportional"};
    auto ordering = model::ordering_options(request.ordering, model::only(parts));
    ordering.numbers = request.numbers;
    ordering.balanced = request.balanced;
    const auto symbolic = model::symbolic_options(parts.diagonal, comm.size());
    made = std::make_shared<const Analysis>(
        std::move(analyze_each_as(kind, whole, ordering, {&symbolic, 1}, request.observer).front()));
    whole = {};
  });
  return broadcast_analysis(comm, std::move(made));
}

// The entries on their way to the fronts where they are assembled, and what is measured of them.
template <Scalar S>
struct ScaledEntries {
  std::vector<mpi::ListOfRank<ScaledEntry<S>>> lists;
  std::vector<double> column_sums;
  double largest = 0;

  ScaledEntries(const RowsToFactor<S>& rows, const Analysis& analysis, const FrontOwners& owners) {
    const ordering::Ordering& o = analysis.ordering;
    const symbolic::Structure& s = *analysis.structure;
    std::vector<std::vector<ScaledEntry<S>>> of_rank(usize(rows.comm.size()));
    column_sums.resize(usize(s.n));
    const Index first = rows.partition.first(rows.comm.rank());
    for (Index i = 0; i < rows.a.rows(); ++i) {
      const auto row = usize(first + i);
      for (Offset e = rows.a.pattern.row_ptr[usize(i)]; e < rows.a.pattern.row_ptr[usize(i) + 1]; ++e) {
        const auto col = usize(rows.a.pattern.col[usize(e)]);
        const S value = rows.a.value[usize(e)] * static_cast<RealOf<S>>(o.row_scale[row] * o.col_scale[col]);
        column_sums[col] += std::abs(value);
        largest = std::max(largest, double(std::abs(value)));
        const ScaledEntry<S> entry = in_lower({o.row_new[row], o.col_new[col], value}, analysis.kind);
        const Index k = s.supernode_of[usize(std::min(entry.row, entry.col))];
        of_rank[usize(owners.of_supernode[usize(k)])].push_back(entry);
      }
    }
    for (Index r = 0; r < rows.comm.size(); ++r) {
      if (!of_rank[usize(r)].empty()) lists.push_back({r, std::move(of_rank[usize(r)])});
    }
  }

  // Where that triangle alone is factored, the entry that it has to be equal to.
  static ScaledEntry<S> in_lower(const ScaledEntry<S>& entry, numeric::Kind kind) {
    if (numeric::has_upper(kind) || entry.row >= entry.col) return entry;
    return {entry.col, entry.row, numeric::mirrored(numeric::upper_of_lower(kind), entry.value)};
  }
};

// What has come of them, in compressed rows of the whole size, columns ascending. `symmetric`: each entry of
// the lower triangle came twice, with the same value; else false is returned.
template <Scalar S>
bool put_in_rows(const std::vector<mpi::ListOfRank<ScaledEntry<S>>>& lists, Index n, bool symmetric,
                 matrix::Csr<S>& a) {
  std::vector<Offset> begin(usize(n) + 1);
  for (const auto& list : lists) {
    for (const ScaledEntry<S>& entry : list.entry) ++begin[usize(entry.row) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::pair<Index, S>> all(usize(begin.back()));  // by row
  for (const auto& list : lists) {
    for (const ScaledEntry<S>& entry : list.entry)
      all[usize(begin[usize(entry.row)]++)] = {entry.col, entry.value};
  }
  a = {{n, n, {0}, {}}, {}};
  a.pattern.row_ptr.reserve(begin.size());
  a.pattern.col.reserve(all.size());
  a.value.reserve(all.size());
  auto entry = all.begin();
  for (Index i = 0; i < n; ++i) {
    const auto end = all.begin() + begin[usize(i)];
    std::sort(entry, end, [](const auto& one, const auto& other) { return one.first < other.first; });
    for (; entry < end; ++entry) {
      a.pattern.col.push_back(entry->first);
      a.value.push_back(entry->second);
      if (symmetric && entry->first < i && (++entry == end || *entry != entry[-1])) return false;
    }
    a.pattern.row_ptr.push_back(std::ssize(a.value));
  }
  return true;
}

template <Scalar S>
class FrontsFactorizer final : public DistributedFactorizer<S> {
 public:
  std::shared_ptr<FactorSource<S>> factor(const mpi::Communicator& comm, matrix::Csr<S> a,
                                          const distribution::RowPartition& partition,
                                          const EngineRequest& request) override {
    const mpi::LongWork long_work(comm);
    const RowsToFactor<S> rows{comm, a, partition, request};
    std::optional<Made> made;
    if (analysis_) made = try_factor(rows);
    if (made && made->perturbed > 0) made.reset();  // these values need an order of their own
    double seconds = 0;
    for (int failed = 0; !made; ++failed) {
      const auto start = Clock::now();
      fronts_.reset();
      analysis_ = analyze_on_root(rows, failed);
      mpi::agree_on_error(
          comm, [&] { owners_ = FrontOwners(*analysis_->structure, analysis_->kind, comm.size()); });
      seconds += comm.max(seconds_since(start));
      made = try_factor(rows);
      if (made) made->analysis_seconds = seconds;
    }
    return mpi::agree_on_error(comm, [&] { return std::make_shared<FrontFactors<S>>(*std::move(made)); });
  }

 private:
  using Made = typename FrontFactors<S>::Made;

  // As it was analyzed; nothing where that does not suit these values.
  std::optional<Made> try_factor(const RowsToFactor<S>& rows) {
    const auto& [comm, a, partition, request] = rows;
    const auto start = Clock::now();
    Made made{.analysis = analysis_};
    matrix::Csr<S> own;
    numeric::MatrixValues<S> values{};
    if (!take_entries(rows, made, own, values)) return std::nullopt;
    auto factors = factor_fronts<S>(comm, *fronts_, owners_, values, request.numeric, request.observer);
    if (!factors) return std::nullopt;
    made.perturbed = static_cast<Index>(comm.sum(double(factors->perturbed_pivots)));
    const auto summaries = comm.gather(factors->pivots);
    std::vector<std::uint64_t> maker;
    mpi::agree_on_error(comm, [&] {
      for (const numeric::PivotSummary& of_rank : summaries) made.pivots += of_rank;
      made.pivots.log_modulus -= log_of_symmetric_scales(analysis_->ordering);
      if (!factors->row_new.empty()) made.analysis = with_delayed_pivots(*analysis_, *factors);
      for (Index k = 0; k < factors->structure->supernodes(); ++k)
        maker.push_back(factors->has(k) ? static_cast<std::uint64_t>(comm.rank()) : 0);
    });
    comm.max(maker);
    mpi::agree_on_error(comm, [&] {
      made.maker.assign(maker.begin(), maker.end());
      made.factors = std::make_shared<const numeric::Factors<S>>(*std::move(factors));
    });
    made.seconds = comm.max(seconds_since(start));
    return made;
  }

  // Brings this rank the entries that its fronts are assembled from, as rows of `own`, which `values` are of.
  bool take_entries(const RowsToFactor<S>& rows, Made& made, matrix::Csr<S>& own,
                    numeric::MatrixValues<S>& values) {
    const mpi::Communicator& comm = rows.comm;
    auto entries = mpi::agree_on_error(comm, [&] { return ScaledEntries<S>(rows, *analysis_, owners_); });
    comm.sum(entries.column_sums);
    made.norm_one = std::ranges::max(entries.column_sums);
    const double largest = comm.max(entries.largest);
    const auto lists = mpi::exchange_lists(comm, std::move(entries.lists));
    const bool as_expected = mpi::agree_on_error(comm, [&] {
      return put_in_rows(lists, analysis_->structure->n, !numeric::has_upper(analysis_->kind), own);
    });
    if (comm.max(double(!as_expected)) > 0) return false;
    mpi::agree_on_error(comm, [&] {
      if (!fronts_) {
        const std::vector<char> mine = are_of(owners_.of_supernode, comm.rank());
        fronts_.emplace(
            numeric::make_fronts(own.pattern, {}, {}, analysis_->structure, analysis_->kind, mine));
      }
      require_memory(usize(fronts_->factor_entries()) * sizeof(S), "this rank's part of the factorization",
                     usize(rows.request.numeric.threads) * numeric::addresses_of_thread);
    });
    values = {own.value, static_cast<RealOf<S>>(largest)};
    return true;
  }

  // Null: nothing is factored yet.
  std::shared_ptr<const Analysis> analysis_;
  FrontOwners owners_;
  std::optional<numeric::Fronts> fronts_;  // this rank's
};

class FrontsEngine final : public FactorEngine {
 public:
  std::string_view name() const override { return "distributed"; }
  bool chooses_pivots() const override { return true; }
#define TRISWEEP_MAKE(S)                               \
  Made<S> make(std::type_identity<S>) const override { \
    return std::make_shared<FrontsFactorizer<S>>();    \
  }
  TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_MAKE)
#undef TRISWEEP_MAKE
};

}  // namespace

std::shared_ptr<const FactorEngine> distributed_fronts() {
  return std::make_shared<FrontsEngine>();
}

}  // namespace trisweep::solve
