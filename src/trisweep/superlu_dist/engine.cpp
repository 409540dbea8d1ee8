// Order (in parallel where the parts are large), symbolic factorization on the first 2^k ranks, distribution
// on a 2D grid, numerical factorization: the steps of SuperLU_DIST's driver pdgssvx, called one by one, so
// that ranks agree on errors between the steps and the ordering is reused for other values. (X. S. Li, J. W.
// Demmel, "SuperLU_DIST", ACM TOMS 29 (2003); parallel symbolic factorization: L. Grigori et al., SIAM J.
// Sci. Comput. 29 (2007).)

#include "trisweep/superlu_dist/engine.hpp"

#include <fmt/format.h>

#include <optional>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/core/permutation.hpp"
#include "trisweep/solve/lu_source.hpp"
#include "trisweep/solve/report.hpp"
#include "trisweep/superlu_dist/library.hpp"
#include "trisweep/superlu_dist/scaled_rows.hpp"

namespace trisweep::superlu_dist {
namespace {

// Of a rank's part of the factors: SuperLU_DIST's, our panels, and messages between them. If they do not fit,
// SuperLU_DIST ends the process, or uses memory that it failed to allocate.
constexpr std::size_t copies = 3;

constexpr const char* more_memory = "use more ranks, or --factorization own with --compress";

// What a factorization leaves for the next one, with other values.
struct Order {
  Scaling scaling;
  std::vector<int_t> permutation;   // of rows and of columns in their places
  std::vector<int_t> sizes, first;  // of the parts and separators that symbolic factorization works on
  int symbolic_ranks = 1;
};

template <Scalar S>
struct Made {
  std::optional<Factors<S>> factors;
  double norm_one = 0;
  Index perturbed = 0;
  double analysis_seconds = 0, seconds = 0;
};

// The factors of one factorization. Their entries are read through the structure shared by all factorizations
// with the same ordering.
template <Scalar S>
class EngineFactors final : public solve::FactorSource<S> {
 public:
  using Shared = std::shared_ptr<solve::FactorSource<S>>;
  using Current = std::shared_ptr<const Made<S>*>;

  EngineFactors(std::unique_ptr<const Made<S>> made, Shared entries, Current current)
      : made_(std::move(made)), entries_(std::move(entries)), current_(std::move(current)) {}

  std::shared_ptr<const solve::Analysis> analysis(const mpi::Communicator& comm) override {
    return reading().analysis(comm);
  }
  engine::PieceValues<S> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override {
    return reading().panels(comm, distribution, local_blocks);
  }
  double scaled_norm_one(const mpi::Communicator&) override { return made_->norm_one; }
  std::shared_ptr<const void> analysis_key(const mpi::Communicator& comm) const override {
    return entries_->analysis_key(comm);
  }
  void describe(solve::FactorReport& report) const override {
    report.perturbed_pivots = made_->perturbed;
    report.analysis_seconds += made_->analysis_seconds;
    report.seconds += made_->seconds;
  }

 private:
  solve::FactorSource<S>& reading() {
    *current_ = made_.get();
    return *entries_;
  }

  std::unique_ptr<const Made<S>> made_;
  Shared entries_;
  Current current_;
};

// One factorization, step by step. All ranks call the same steps.
template <Scalar S>
class Run {
 public:
  // Allocates nothing outside SuperLU_DIST: if a rank failed here, the others would wait in SuperLU_DIST for
  // ever. `row_ptr`: that of `rows`, in SuperLU_DIST's integers.
  Run(const mpi::Communicator& comm, matrix::Csr<S> rows, std::vector<int_t> row_ptr,
      const distribution::RowPartition& partition, const Order& order)
      : comm_(comm), rows_(std::move(rows)), n_(partition.rows()), grid_(comm), row_ptr_(std::move(row_ptr)) {
    set_default_options_dist(&options_);
    options_.Equil = NO;
    options_.RowPerm = NOROWPERM;
    options_.ParSymbFact = YES;
    options_.ColPerm = order.permutation.empty() ? PARMETIS : MY_PERMC;
    options_.ReplaceTinyPivot = YES;
    options_.PrintStat = NO;
    PStatInit(&stat_);
    const auto& p = rows_.pattern;
    Library<S>::create_rows(&a_, n_, n_, static_cast<int_t>(p.nonzeros()), p.rows,
                            partition.first(comm.rank()), reinterpret_cast<Value*>(rows_.value.data()),
                            rows_.pattern.col.data(), row_ptr_.data(), SLU_NR_loc, Library<S>::type, SLU_GE);
    Library<S>::init_permutation(n_, n_, &permutation_);
    for (Index i = 0; i < n_; ++i) permutation_.perm_r[i] = i;
  }
  ~Run() {
    Library<S>::free_permutation(&permutation_);
    SUPERLU_FREE(a_.Store);
    PStatFree(&stat_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void order(Order& order) {
    order.symbolic_ranks = 1;
    while (2 * order.symbolic_ranks <= comm_.size()) order.symbolic_ranks *= 2;
    SymbolicRanks ranks(*grid_.get(), order.symbolic_ranks);
    const OneOrderingThread one_thread;
    int_t *sizes = nullptr, *first = nullptr;
    const float lacking = get_perm_c_parmetis(&a_, permutation_.perm_r, permutation_.perm_c, comm_.size(),
                                              order.symbolic_ranks, &sizes, &first, grid_.get(), ranks.get());
    require_memory_of("the parallel ordering", lacking);
    mpi::agree_on_error(comm_, [&] {
      order.permutation.assign(permutation_.perm_c, permutation_.perm_c + n_);
      order.sizes.assign(sizes, sizes + 2 * order.symbolic_ranks);
      order.first.assign(first, first + 2 * order.symbolic_ranks);
    });
    SUPERLU_FREE(sizes);
    SUPERLU_FREE(first);
  }

  void structure(Order& order) {
    std::ranges::copy(order.permutation, permutation_.perm_c);
    superlu_dist_mem_usage_t usage{};
    SymbolicRanks ranks(*grid_.get(), order.symbolic_ranks);
    const float lacking = symbfact_dist(
        &options_, comm_.size(), order.symbolic_ranks, &a_, permutation_.perm_c, permutation_.perm_r,
        order.sizes.data(), order.first.data(), &structure_, &grid_.get()->comm, ranks.get(), &usage);
    require_memory_of("the symbolic factorization", lacking);
  }

  // Sets `factors` up on the process grid, with the entries of A.
  void distribute(Factors<S>& factors) {
    mpi::agree_on_error(comm_, [&] {
      require_memory(copies * static_cast<std::size_t>(structure_.nnzLU / comm_.size()) * sizeof(S),
                     "this rank's part of the factors");
    });
    for (Index& j : rows_.pattern.col) j = static_cast<Index>(permutation_.perm_c[j]);
    const float lacking =
        Library<S>::distribute(&options_, n_, &a_, &permutation_, &structure_, factors.get(), grid_.get());
    require_memory_of("this rank's part of the factors", lacking);
    factors.distributed();
  }

  // Returns how many pivots were replaced.
  Index factor(Factors<S>& factors, double norm_one) {
    int info = 0;
    Library<S>::factor(&options_, n_, n_, static_cast<RealOf<S>>(norm_one), factors.get(), grid_.get(),
                       &stat_, &info);
    if (const auto worst = static_cast<Index>(comm_.max(double(info))); worst > 0) {
      if (worst <= n_)
        throw mpi::CollectiveError(
            ErrorKind::numerical,
            fmt::format("SuperLU_DIST finds a zero pivot in column {} of its order (counting from 1)", worst),
            "factor with pivoting: --factorization own");
      throw mpi::CollectiveError(ErrorKind::environment, "SuperLU_DIST runs out of memory", more_memory);
    }
    return static_cast<Index>(comm_.sum(double(stat_.TinyPivots)));
  }

  gridinfo_t place() const { return grid_.without_communicators(); }

 private:
  using Value = typename Library<S>::Value;
  static_assert(sizeof(int_t) == sizeof(Index), "SuperLU_DIST with 32-bit integers is needed");

  // SuperLU_DIST's functions return the bytes they lack as a positive number.
  void require_memory_of(const char* what, float lacking) const {
    if (const double most = comm_.max(double(lacking)); most > 0)
      throw mpi::CollectiveError(
          ErrorKind::environment,
          fmt::format("SuperLU_DIST lacks memory for {}: {:.3g} MB on one rank", what, most * 1e-6),
          more_memory);
  }

  const mpi::Communicator& comm_;
  matrix::Csr<S> rows_;
  Index n_;
  Grid grid_;
  std::vector<int_t> row_ptr_;
  superlu_dist_options_t options_{};
  SuperLUStat_t stat_{};
  SuperMatrix a_{};
  typename Library<S>::Permutation permutation_{};
  Pslu_freeable_t structure_{};
};

template <Scalar S>
class Factorizer final : public solve::DistributedFactorizer<S> {
 public:
  explicit Factorizer(const EngineOptions& options) : options_(options) {}

  std::shared_ptr<solve::FactorSource<S>> factor(const mpi::Communicator& comm, matrix::Csr<S> rows,
                                                 const distribution::RowPartition& partition,
                                                 const solve::EngineRequest& request) override {
    const mpi::LongWork long_work(comm);
    const bool again = entries_ != nullptr;
    auto made = factor_once(comm, rows, partition, request);
    if (again && made->perturbed > 0) {  // these values need an order and a scaling of their own
      made.reset();
      entries_.reset();
      made = factor_once(comm, rows, partition, request);
    }
    return mpi::agree_on_error(comm, [&]() -> std::shared_ptr<solve::FactorSource<S>> {
      if (!entries_) share_entries(*made);
      return std::make_shared<EngineFactors<S>>(std::move(made), entries_, current_);
    });
  }

 private:
  std::unique_ptr<Made<S>> factor_once(const mpi::Communicator& comm, const matrix::Csr<S>& given,
                                       const distribution::RowPartition& partition,
                                       const solve::EngineRequest& request) {
    auto made = mpi::agree_on_error(comm, [] { return std::make_unique<Made<S>>(); });
    const Threads threads(request.threads);
    auto start = Clock::now();
    if (!entries_) order_ = first_order(comm, given, partition, request);
    std::vector<int_t> row_ptr;
    auto rows = mpi::agree_on_error(comm, [&] {
      row_ptr.assign(given.pattern.row_ptr.begin(), given.pattern.row_ptr.end());
      return given;
    });
    made->norm_one = apply(comm, order_.scaling, partition.first(comm.rank()), rows);
    Run<S> run(comm, std::move(rows), std::move(row_ptr), partition, order_);
    if (order_.permutation.empty()) run.order(order_);
    run.structure(order_);
    made->analysis_seconds = comm.max(seconds_since(start));
    start = Clock::now();
    made->factors.emplace(partition.rows(), run.place());
    run.distribute(*made->factors);
    made->perturbed = run.factor(*made->factors, made->norm_one);
    made->seconds = comm.max(seconds_since(start));
    return made;
  }

  // The scaling and, unless the ranks order in parallel, the ordering.
  Order first_order(const mpi::Communicator& comm, const matrix::Csr<S>& rows,
                    const distribution::RowPartition& partition, const solve::EngineRequest& request) const {
    const Index least = -static_cast<Index>(comm.max(-double(rows.rows())));
    const bool may =
        request.ordering == ordering::Method::automatic || request.ordering == ordering::Method::ptscotch;
    const bool parallel = may && comm.size() > 1 && least >= options_.parallel_from;
    Order order;
    order.scaling = scaling_of(comm, rows, partition, !parallel, request);
    mpi::agree_on_error(comm, [&] {
      if (parallel) return;
      order.permutation.assign(order.scaling.order.begin(), order.scaling.order.end());
      order.sizes = {partition.rows(), 0};
      order.first = {0, 0};
    });
    return order;
  }

  void share_entries(const Made<S>& made) {
    current_ = std::make_shared<const Made<S>*>(nullptr);
    const Scaling& scaling = order_.scaling;
    solve::LuParts<S> parts{.row_new = order_.permutation,
                            .col_new = gathered(order_.permutation, scaling.place),
                            .row_scale = scaling.row,
                            .col_scale = scaling.col,
                            .first = made.factors->first_columns(),
                            .keep_zeros = true};
    parts.for_each_entry = [current = current_](const typename solve::LuParts<S>::Visit& visit,
                                                solve::LuColumns columns) {
      (*current)->factors->visit({columns.begin, columns.end}, visit);
    };
    entries_ = solve::lu_source(std::move(parts));
  }

  EngineOptions options_;
  Order order_;
  std::shared_ptr<solve::FactorSource<S>> entries_;  // null: nothing is factored yet
  std::shared_ptr<const Made<S>*> current_;          // the factorization whose entries are read
};

class Engine final : public solve::FactorEngine {
 public:
  explicit Engine(const EngineOptions& options) : options_(options) {}
  std::string_view name() const override { return "superlu-dist"; }
  // Not for `float`: sdist_psymbtonum of 8.1.2 never returns on four ranks.
  Made<double> make(std::type_identity<double>) const override {
    return std::make_shared<Factorizer<double>>(options_);
  }
#if !defined(TRISWEEP_REAL_ONLY)
  Made<std::complex<double>> make(std::type_identity<std::complex<double>>) const override {
    return std::make_shared<Factorizer<std::complex<double>>>(options_);
  }
#endif

 private:
  EngineOptions options_;
};

}  // namespace

std::shared_ptr<const solve::FactorEngine> engine(const EngineOptions& options) {
  return std::make_shared<Engine>(options);
}

}  // namespace trisweep::superlu_dist
