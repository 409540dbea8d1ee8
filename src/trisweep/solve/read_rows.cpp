#include "trisweep/solve/read_rows.hpp"

#include <algorithm>
#include <utility>

#include "trisweep/matrix/file_parts.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::solve {
namespace {

// Smaller parts are not worth the messages.
constexpr std::uint64_t least_bytes = std::uint64_t{1} << 16;

template <Scalar T>
struct Entry {
  Index row, col;
  T value;
};
template <Scalar T>
using EntriesByRank = std::vector<mpi::ListOfRank<Entry<T>>>;

// Lists for all ranks, some of them empty.
template <Scalar T>
EntriesByRank<T> by_owner(const matrix::Triplets<T>& entries, const distribution::RowPartition& partition) {
  EntriesByRank<T> lists;
  for (Index r = 0; r + 1 < std::ssize(partition.begin); ++r) lists.push_back({r, {}});
  // An entry's owner is most often that of the entry before.
  auto owner_of = [&, owner = Index{0}](Index row) mutable {
    if (row < partition.first(owner) || row >= partition.first(owner + 1)) owner = partition.owner(row);
    return usize(owner);
  };
  std::vector<std::size_t> sizes(lists.size());
  matrix::for_each_expanded(entries, [&](Index i, Index, T) { ++sizes[owner_of(i)]; });
  for (std::size_t r = 0; r < sizes.size(); ++r) lists[r].entry.reserve(sizes[r]);
  matrix::for_each_expanded(entries, [&](Index i, Index j, T value) {
    lists[owner_of(i)].entry.push_back({i, j, value});
  });
  return lists;
}

// The rows from `first` on of a matrix of `cols` columns.
template <Scalar T>
matrix::Csr<T> rows_of(EntriesByRank<T> lists, Index rows, Index cols, Index first,
                       const std::filesystem::path& file) {
  matrix::Triplets<T> entries;
  entries.rows = rows;
  entries.cols = cols;
  std::size_t size = 0;
  for (const auto& list : lists) size += list.entry.size();
  entries.row.reserve(size);
  entries.col.reserve(size);
  entries.value.reserve(size);
  for (auto& list : lists) {
    for (const auto& [row, col, value] : std::exchange(list.entry, {})) {
      entries.row.push_back(row - first);
      entries.col.push_back(col);
      entries.value.push_back(value);
    }
  }
  return matrix::assemble(entries, file);
}

// Returns work(), or nullopt on all ranks if one finds a defect of the file.
template <class Work>
auto unless_defective(const mpi::Communicator& comm, const Work& work) {
  auto result = mpi::agree_on_error(comm, [&]() -> std::optional<std::invoke_result_t<Work>> {
    try {
      return work();
    } catch (const InputError&) {
      return std::nullopt;
    }
  });
  if (comm.max(Offset{!result}) > 0) result.reset();
  return result;
}

// Returns nullopt on all ranks if the file has a defect.
template <Scalar T>
std::optional<BlockRows<T>> read_parts(const mpi::Communicator& comm, const std::filesystem::path& file,
                                       const matrix::FileInParts& all, Observer& observer) {
  const auto partition =
      mpi::agree_on_error(comm, [&] { return distribution::even_partition(all.header.rows, comm.size()); });
  Offset stored = 0;  // entries of this rank's part
  auto lists = unless_defective(comm, [&] {
    const auto entries = matrix::read_part<T>(file, all, comm.rank(), comm.size(), observer);
    stored = std::ssize(entries.row);
    return by_owner(entries, partition);
  });
  if (!lists || static_cast<Offset>(comm.sum(static_cast<std::uint64_t>(stored))) != all.header.entries)
    return std::nullopt;
  // What stays is not sent.
  auto own = std::move((*lists)[usize(comm.rank())]);
  std::erase_if(*lists, [](const auto& list) { return list.entry.empty(); });
  auto received = mpi::exchange_lists(comm, *std::move(lists));
  auto rows = unless_defective(comm, [&] {
    received.push_back(std::move(own));
    return rows_of(std::move(received), partition.count(comm.rank()), all.header.cols,
                   partition.first(comm.rank()), file);
  });
  if (!rows) return std::nullopt;
  return BlockRows<T>{.a = *std::move(rows)};
}

template <class Run>
auto with_scalar(const mpi::Communicator& comm, bool complex, const Run& run) {
  mpi::agree_on_error(comm, [&] { matrix::require_scalar(complex); });
  return matrix::with_scalar(complex, run);
}

template <Scalar T>
std::optional<AnyBlockRows> as_any(std::optional<BlockRows<T>> rows) {
  if (!rows) return std::nullopt;
  return AnyBlockRows(*std::move(rows));
}

std::optional<AnyBlockRows> read_by_all(const mpi::Communicator& comm, const std::filesystem::path& file,
                                        Observer& observer) {
  std::optional<matrix::FileInParts> all;
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0) all = matrix::in_parts(file);
  });
  comm.broadcast(all);
  const bool pays = all && all->bytes() >= least_bytes * usize(comm.size());
  if (!pays || all->header.rows != all->header.cols) return std::nullopt;
  return with_scalar(comm, all->is_complex(),
                     [&]<Scalar T>(T) { return as_any(read_parts<T>(comm, file, *all, observer)); });
}

}  // namespace

AnyBlockRows dealt_out(MPI_Comm comm, matrix::AnyCsr a) {
  const mpi::Communicator world(comm);
  char complex = matrix::is_complex_matrix(a);
  world.broadcast(complex);
  return with_scalar(world, complex != 0, [&]<Scalar T>(T) -> AnyBlockRows {
    return dealt_out(comm, world.rank() == 0 ? std::get<matrix::Csr<T>>(std::move(a)) : matrix::Csr<T>());
  });
}

AnyBlockRows read_rows(MPI_Comm comm, const std::filesystem::path& file, Observer& observer) {
  const mpi::Communicator world(comm);
  const mpi::LongWork long_work(world);
  if (world.size() > 1) {
    if (auto rows = read_by_all(world, file, observer)) return *std::move(rows);
  }
  return dealt_out(comm, mpi::agree_on_error(world, [&] {
                     return world.rank() == 0 ? matrix::read_matrix(file, observer) : matrix::AnyCsr();
                   }));
}

}  // namespace trisweep::solve
