#include "trisweep/solve/block_triangular_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/ordering/block_triangular_form.hpp"
#include "trisweep/ordering/matching.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {
namespace {

// Systems for which the form pays (docs/block-triangular.md): in smaller ones, or with a smaller share of
// off-diagonal nonzeros, the extra passes over vectors cost what is saved, unless factors become symmetric.
constexpr Index least_rows = 4000;
constexpr double least_share = 0.08;

template <Scalar T>
matrix::Csr<T> diagonal_blocks(const matrix::Csr<T>& a, const ordering::BlockTriangularForm& form) {
  matrix::Csr<T> blocks{{a.rows(), a.cols(), {0}, {}}, {}};
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(e)];
      if (form.col_stage[usize(j)] != form.row_stage[usize(i)]) continue;
      blocks.pattern.col.push_back(j);
      blocks.value.push_back(a.value[usize(e)]);
    }
    blocks.pattern.row_ptr.push_back(std::ssize(blocks.value));
  }
  return blocks;
}

template <Scalar T>
bool saves(const matrix::Csr<T>& a, const ordering::BlockTriangularForm& form, bool may_be_symmetric) {
  if (form.fills_less || double(form.off_diagonal) >= least_share * double(a.nonzeros())) return true;
  return may_be_symmetric && !numeric::has_upper(likely_kind(diagonal_blocks(a, form)));
}

// True if the matrix has no zero on its diagonal and a symmetric pattern, and so no off-diagonal blocks: the
// hashes of its entries minus those of their mirror images then sum to zero, and no rank needs the entries of
// others. Collective.
template <Scalar T>
bool is_symmetric_pattern(const mpi::Communicator& comm, const krylov::DistributedMatrix<T>& a) {
  constexpr std::uint64_t bits = 32;  // so that sums over ranks are exact in double
  const auto n = static_cast<std::uint64_t>(a.partition().rows());
  const auto first = a.partition().first(comm.rank());
  std::uint64_t sum = 0;
  Index on_diagonal = 0;
  for (Index i = 0; i < a.local_rows(); ++i)
    for (const Offset e : a.local().pattern.entries(i)) {
      if (a.local().value[usize(e)] == T{}) continue;
      const auto row = usize(first + i), column = usize(a.column(a.local().pattern.col[usize(e)]));
      if (row == column)
        ++on_diagonal;
      else
        sum += split_mix(row * n + column) - split_mix(column * n + row);
    }
  std::array<double, 2> all{double(sum % (std::uint64_t{1} << bits)), double(on_diagonal)};
  comm.sum(all);
  return std::fmod(all[0], double(std::uint64_t{1} << bits)) == 0 && all[1] == double(n);
}

// Returns no form for a symmetric matrix, which can be factored at half the cost.
template <Scalar T>
ordering::BlockTriangularForm useful_form(const matrix::Csr<T>& a, const SolverOptions& options) {
  const bool may_be_symmetric = options.kind == numeric::KindChoice::automatic;
  if (may_be_symmetric && !numeric::has_upper(likely_kind(a))) return {};
  auto form = ordering::block_triangular_form(a, options.observed_by());
  const bool always = options.block_triangular == BlockTriangular::on;
  return form.stages > 1 && (always || saves(a, form, may_be_symmetric)) ? std::move(form)
                                                                         : ordering::BlockTriangularForm{};
}

}  // namespace

// Some of this rank's entries, as rows of a matrix.
template <Scalar T>
struct BlockTriangularSystem<T>::Part {
  matrix::Csr<T> rows;
  std::vector<Offset> entry{};             // by entry of `rows`, its index in the rank's matrix
  distribution::RowPartition partition{};  // of `rows`, if they are not all rows

  explicit Part(Index columns) { rows.pattern.cols = columns; }
  void add(Index column, const T& value, Offset of) {
    rows.pattern.col.push_back(column);
    rows.value.push_back(value);
    entry.push_back(of);
  }
  void end_row() {
    rows.pattern.row_ptr.push_back(std::ssize(rows.value));
    ++rows.pattern.rows;
  }
};

template <Scalar T>
std::unique_ptr<BlockTriangularSystem<T>> BlockTriangularSystem<T>::find(const mpi::Communicator& comm,
                                                                         const LinearSystem<T>& system,
                                                                         const SolverOptions& options) {
  const bool is_small = system.matrix().partition().rows() < least_rows;
  if (options.block_triangular == BlockTriangular::automatic && is_small) return nullptr;
  if (is_symmetric_pattern(comm, system.matrix())) return nullptr;
  ordering::BlockTriangularForm form;
  system.gather([&](const matrix::Csr<T>& a) { form = useful_form(a, options); });
  form.stages = static_cast<Index>(comm.max(Offset{form.stages}));
  if (form.stages == 1) return nullptr;
  comm.broadcast(form.row_stage);
  comm.broadcast(form.col_stage);
  comm.broadcast(form.off_diagonal);
  mpi::agree_on_error(comm, [&] { form.coupled.resize(usize(form.stages)); });
  for (std::vector<Index>& coupled : form.coupled) comm.broadcast(coupled);
  auto made = mpi::agree_on_error(comm, [&] {
    return std::unique_ptr<BlockTriangularSystem>(
        new BlockTriangularSystem(comm, system, options.observed_by()));
  });
  made->off_diagonal_nonzeros_ = form.off_diagonal;
  made->split(form);
  mpi::agree_on_error(comm, [] {});  // later steps might not notice a rank that failed here
  return made;
}

template <Scalar T>
void BlockTriangularSystem<T>::scale(bool balanced) {
  system_.gather([&](const matrix::Csr<T>& a) {
    const ordering::MatchingOptions options{.balanced = balanced, .numbers = system_.numbers()};
    scaling_ = ordering::match_large_entries(a, observer_, options).scaling;
  });
  comm_.broadcast(scaling_.row);
  comm_.broadcast(scaling_.col);
  const distribution::RowPartition& partition = system_.matrix().partition();
  const auto here = [&](std::span<const double> scale) {
    return scale.subspan(usize(partition.first(comm_.rank())), usize(partition.count(comm_.rank())));
  };
  coupling_->row_scale = here(scaling_.row);
  coupling_->col_scale = here(scaling_.col);
  coupling_->scaled_norm_one = system_.scaled_norm_one(scaling_.row, scaling_.col);
}

template <Scalar T>
auto BlockTriangularSystem<T>::take_diagonal(const ordering::BlockTriangularForm& form) -> Part {
  const krylov::DistributedMatrix<T>& a = system_.matrix();
  const Index first = a.partition().first(comm_.rank());
  Part part{a.partition().rows()};
  for (Index i = 0; i < a.local_rows(); ++i) {
    for (const auto& [j, e] : entries_of_row(i)) {
      const Index of_row = form.row_stage[usize(first + i)], of_col = form.col_stage[usize(j)];
      const T& value = a.local().value[usize(e)];
      if (of_row == of_col)
        part.add(j, value, e);
      else if (value == T{})
        zero_.push_back(e);
    }
    part.end_row();
  }
  return part;
}

template <Scalar T>
auto BlockTriangularSystem<T>::take_off_diagonal(const ordering::BlockTriangularForm& form, Index stage)
    -> Part {
  const krylov::DistributedMatrix<T>& a = system_.matrix();
  const distribution::RowPartition& partition = a.partition();
  const std::vector<Index>& coupled = form.coupled[usize(stage)];
  const auto place = [&](Index row) {
    return static_cast<Index>(std::ranges::lower_bound(coupled, row) - coupled.begin());
  };
  Part part{static_cast<Index>(coupled.size())};
  for (const Index begin : partition.begin) part.partition.begin.push_back(place(begin));
  const Index first = partition.first(comm_.rank()), end = first + a.local_rows();
  for (Index k = place(first); k < place(end); ++k) {
    const Index i = coupled[usize(k)];
    if (form.row_stage[usize(i)] == stage) {
      for (const auto& [j, e] : entries_of_row(i - first)) {
        const T& value = a.local().value[usize(e)];
        if (form.col_stage[usize(j)] != stage && value != T{}) part.add(place(j), value, e);
      }
    }
    part.end_row();
  }
  return part;
}

// Returns (column of the whole matrix, index in local().value) of each entry of a row, columns ascending.
template <Scalar T>
std::vector<std::pair<Index, Offset>> BlockTriangularSystem<T>::entries_of_row(Index i) const {
  const krylov::DistributedMatrix<T>& a = system_.matrix();
  std::vector<std::pair<Index, Offset>> row;
  for (const Offset e : a.local().pattern.entries(i))
    row.emplace_back(a.column(a.local().pattern.col[usize(e)]), e);
  std::ranges::sort(row);
  return row;
}

template <Scalar T>
void BlockTriangularSystem<T>::split(ordering::BlockTriangularForm& form) {
  const distribution::RowPartition& partition = system_.matrix().partition();
  const Index first = partition.first(comm_.rank()), rows = partition.count(comm_.rank());
  Part diagonal = mpi::agree_on_error(comm_, [&] { return take_diagonal(form); });
  in_blocks_ = std::move(diagonal.entry);
  diagonal_ = std::make_unique<LinearSystem<T>>(system_, std::move(diagonal.rows));
  mpi::agree_on_error(comm_, [&] {
    const auto here = [&](const std::vector<Index>& stage) {
      return std::vector<Index>(stage.begin() + first, stage.begin() + first + rows);
    };
    coupling_ = std::unique_ptr<Coupling<T>>(
        new Coupling<T>{{}, here(form.row_stage), here(form.col_stage), first, comm_});
    coupling_->off_diagonal.reserve(usize(form.stages) - 1);
    off_diagonal_.resize(usize(form.stages) - 1);
  });
  for (Index stage = 1; stage < form.stages; ++stage) {
    Part part = mpi::agree_on_error(comm_, [&] { return take_off_diagonal(form, stage); });
    off_diagonal_[usize(stage - 1)] = std::move(part.entry);
    coupling_->off_diagonal.push_back(
        {krylov::DistributedMatrix<T>(comm_.share(), std::move(part.rows), part.partition),
         std::move(form.coupled[usize(stage)])});
  }
}

template <Scalar T>
bool BlockTriangularSystem<T>::follow() {
  const std::vector<T>& value = system_.matrix().local().value;
  const bool has_others = std::ranges::any_of(zero_, [&](Offset e) { return value[usize(e)] != T{}; });
  if (comm_.max(double(has_others)) > 0) return false;
  std::vector<T> some;
  const auto take = [&](const std::vector<Offset>& entries, krylov::DistributedMatrix<T>& into) {
    mpi::agree_on_error(comm_, [&] {
      some.resize(entries.size());
      std::ranges::transform(entries, some.begin(), [&](Offset e) { return value[usize(e)]; });
    });
    into.replace_values(some);
  };
  take(in_blocks_, diagonal_->matrix());
  for (std::size_t s = 0; s < off_diagonal_.size(); ++s)
    take(off_diagonal_[s], coupling_->off_diagonal[s].matrix);
  coupling_->scaled_norm_one = system_.scaled_norm_one(scaling_.row, scaling_.col);
  return true;
}

#define INSTANTIATE(T) template class BlockTriangularSystem<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
