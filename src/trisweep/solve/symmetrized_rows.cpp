#include "trisweep/solve/symmetrized_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::solve {
namespace {

// A(col, row): the mirror image of an entry in the receiver's row.
template <Scalar T>
struct MirrorImage {
  Index row, col;
  T value;
};
template <Scalar T>
using ListsByRank = std::vector<mpi::ListOfRank<MirrorImage<T>>>;

template <Scalar T>
ListsByRank<T> images_to_send(const matrix::Csr<T>& rows, const distribution::RowPartition& partition,
                              Index rank, Index ranks) {
  std::vector<std::vector<MirrorImage<T>>> of_rank(usize(ranks));
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index row = partition.first(rank) + i;
    for (const Offset e : rows.pattern.entries(i)) {
      const Index col = rows.pattern.col[usize(e)];
      if (col != row) of_rank[usize(partition.owner(col))].push_back({col, row, rows.value[usize(e)]});
    }
  }
  return mpi::lists_of_ranks(std::move(of_rank));
}

// The mirror images by row; columns ascend, since lists do so by rank, and each list by row of its sender.
template <Scalar T>
matrix::Csr<T> in_rows(const ListsByRank<T>& lists, Index first, Index rows) {
  matrix::Csr<T> images{{.rows = rows, .row_ptr = std::vector<Offset>(usize(rows) + 1), .col = {}}, {}};
  std::vector<Offset>& row_ptr = images.pattern.row_ptr;
  for (const auto& list : lists)
    for (const MirrorImage<T>& image : list.entry) ++row_ptr[usize(image.row - first) + 1];
  std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
  images.pattern.col.resize(usize(row_ptr.back()));
  images.value.resize(usize(row_ptr.back()));
  std::vector<Offset> next(row_ptr.begin(), row_ptr.end() - 1);
  for (const auto& list : lists) {
    for (const MirrorImage<T>& image : list.entry) {
      const auto at = usize(next[usize(image.row - first)]++);
      images.pattern.col[at] = image.col;
      images.value[at] = image.value;
    }
  }
  return images;
}

// Merges this rank's rows with their mirror images, and compares values.
template <Scalar T>
SymmetrizedRows merged(const matrix::Csr<T>& rows, const matrix::Csr<T>& images, Index first) {
  SymmetrizedRows result{.pattern = {.rows = rows.rows(), .cols = rows.cols(), .row_ptr = {0}, .col = {}},
                         .is_symmetric = true,
                         .is_hermitian = true,
                         .has_positive_diagonal = true};
  const auto compare = [&](const T& value, const T& image) {
    result.is_symmetric = result.is_symmetric && value == image;
    result.is_hermitian = result.is_hermitian && value == conjugate(image);
  };
  std::vector<Index>& col = result.pattern.col;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index diagonal = first + i;
    bool is_positive = false, has_diagonal = false;
    const auto place = [&](Index j) {
      if (j > diagonal && !has_diagonal) col.push_back(diagonal);
      has_diagonal = has_diagonal || j >= diagonal;
      col.push_back(j);
    };
    auto [p, end] = std::pair(rows.pattern.row_ptr[usize(i)], rows.pattern.row_ptr[usize(i) + 1]);
    auto [q, end_of_images] =
        std::pair(images.pattern.row_ptr[usize(i)], images.pattern.row_ptr[usize(i) + 1]);
    while (p < end || q < end_of_images) {
      const Index own = p < end ? rows.pattern.col[usize(p)] : rows.cols();
      const Index other = q < end_of_images ? images.pattern.col[usize(q)] : rows.cols();
      const Index j = std::min(own, other);
      const T value = own == j ? rows.value[usize(p++)] : T(0);
      const T image = other == j ? images.value[usize(q++)] : j == diagonal ? value : T(0);
      compare(value, image);
      if (j == diagonal) is_positive = std::real(value) > 0;
      place(j);
    }
    if (!has_diagonal) col.push_back(diagonal);
    result.has_positive_diagonal = result.has_positive_diagonal && is_positive;
    result.pattern.row_ptr.push_back(std::ssize(col));
  }
  return result;
}

}  // namespace

template <Scalar T>
SymmetrizedRows symmetrized_rows(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                 const distribution::RowPartition& partition) {
  const Index first = partition.first(comm.rank());
  auto lists =
      mpi::agree_on_error(comm, [&] { return images_to_send(rows, partition, comm.rank(), comm.size()); });
  lists = mpi::exchange_lists(comm, std::move(lists));
  auto result = mpi::agree_on_error(comm, [&] {
    const auto images = in_rows(lists, first, rows.rows());
    lists.clear();
    return merged(rows, images, first);
  });
  std::array<bool*, 3> all{&result.is_symmetric, &result.is_hermitian, &result.has_positive_diagonal};
  std::array<double, 3> none{};
  std::ranges::transform(all, none.begin(), [](const bool* holds) { return *holds ? 0 : 1; });
  comm.max(none);
  for (std::size_t k = 0; k < all.size(); ++k) *all[k] = none[k] == 0;
  return result;
}

matrix::Pattern symmetrized_pattern(const mpi::Communicator& comm, const matrix::Pattern& rows, Index first,
                                    const Renumbering& renumbering,
                                    const distribution::RowPartition& partition) {
  using Entry = std::array<Index, 2>;
  auto lists = mpi::agree_on_error(comm, [&] {
    std::vector<std::vector<Entry>> of_rank(usize(comm.size()));
    for (Index i = 0; i < rows.rows; ++i) {
      const Index row = renumbering.row[usize(first + i)];
      for (const Index j : rows.row(i)) {
        const Index col = renumbering.col[usize(j)];
        of_rank[usize(partition.owner(row))].push_back({row, col});
        of_rank[usize(partition.owner(col))].push_back({col, row});
      }
    }
    return mpi::lists_of_ranks(std::move(of_rank));
  });
  lists = mpi::exchange_lists(comm, std::move(lists));
  return mpi::agree_on_error(comm, [&] {
    std::vector<Entry> entries;
    const Index own = partition.count(comm.rank()), begin = partition.first(comm.rank());
    for (Index i = begin; i < begin + own; ++i) entries.push_back({i, i});
    for (auto& list : lists) {
      entries.insert(entries.end(), list.entry.begin(), list.entry.end());
      list.entry = {};
    }
    std::ranges::sort(entries);
    entries.erase(std::ranges::unique(entries).begin(), entries.end());
    matrix::Pattern pattern{
        .rows = own, .cols = partition.rows(), .row_ptr = std::vector<Offset>(usize(own) + 1), .col = {}};
    for (const auto& [row, col] : entries) {
      ++pattern.row_ptr[usize(row - begin) + 1];
      pattern.col.push_back(col);
    }
    std::partial_sum(pattern.row_ptr.begin(), pattern.row_ptr.end(), pattern.row_ptr.begin());
    return pattern;
  });
}

#define INSTANTIATE(T)                                                                       \
  template SymmetrizedRows symmetrized_rows(const mpi::Communicator&, const matrix::Csr<T>&, \
                                            const distribution::RowPartition&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
