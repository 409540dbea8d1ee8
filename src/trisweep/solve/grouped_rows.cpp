#include "trisweep/solve/grouped_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/solve/symmetrized_rows.hpp"

namespace trisweep::solve {
namespace {

// The first of the groups that have the same neighbours, for each group. Such groups are neighbours of each
// other, so that only their hashes are needed: of two neighbours with other neighbours each, one in 2^64 has
// the same.
std::vector<Index> first_identical(const mpi::Communicator& comm, const GroupedRows& rows) {
  const Index first = rows.partition.first(comm.rank());
  std::vector<std::uint64_t> hash, first_of;
  mpi::agree_on_error(comm, [&] {
    hash.resize(usize(rows.groups()));
    for (Index i = 0; i < rows.pattern.rows; ++i) {
      for (const Index j : rows.pattern.row(i))
        hash[usize(first + i)] += split_mix(static_cast<std::uint64_t>(j));
    }
  });
  comm.max(hash);
  mpi::agree_on_error(comm, [&] {
    first_of.resize(hash.size());
    for (Index i = 0; i < rows.pattern.rows; ++i) {
      const auto row = rows.pattern.row(i);
      const auto identical = [&](Index j) { return hash[usize(j)] == hash[usize(first + i)]; };
      first_of[usize(first + i)] = static_cast<std::uint64_t>(*std::ranges::find_if(row, identical));
    }
  });
  comm.max(first_of);
  return mpi::agree_on_error(comm, [&] { return std::vector<Index>(first_of.begin(), first_of.end()); });
}

// Numbers the groups that are first.
std::vector<Index> numbered(const std::vector<Index>& first_of) {
  std::vector<Index> number(first_of.size());
  Index next = 0;
  for (std::size_t g = 0; g < first_of.size(); ++g) {
    const auto first = usize(first_of[g]);
    number[g] = first == g ? next++ : number[first];
  }
  return number;
}

}  // namespace

GroupedRows single_rows(matrix::Pattern rows, const distribution::RowPartition& partition) {
  GroupedRows result{.partition = partition, .pattern = std::move(rows), .member_ptr = {}, .member = {}};
  result.member_ptr.resize(usize(partition.rows()) + 1);
  std::iota(result.member_ptr.begin(), result.member_ptr.end(), 0);
  result.member.assign(result.member_ptr.begin(), result.member_ptr.end() - 1);
  return result;
}

GroupedRows united(const mpi::Communicator& comm, const GroupedRows& rows,
                   const std::vector<Index>& new_group) {
  auto result = mpi::agree_on_error(comm, [&] {
    const Index count = std::ranges::max(new_group) + 1;
    GroupedRows of{.partition = distribution::even_partition(count, comm.size()),
                   .pattern = {},
                   .member_ptr = std::vector<Index>(usize(count) + 1),
                   .member = std::vector<Index>(rows.member.size())};
    for (Index g = 0; g < rows.groups(); ++g)
      of.member_ptr[usize(new_group[usize(g)]) + 1] += static_cast<Index>(rows.members(g).size());
    std::partial_sum(of.member_ptr.begin(), of.member_ptr.end(), of.member_ptr.begin());
    std::vector<Index> next(of.member_ptr.begin(), of.member_ptr.end() - 1);
    for (Index g = 0; g < rows.groups(); ++g) {
      for (const Index row : rows.members(g)) of.member[usize(next[usize(new_group[usize(g)])]++)] = row;
    }
    return of;
  });
  result.pattern = symmetrized_pattern(comm, rows.pattern, rows.partition.first(comm.rank()),
                                       {new_group, new_group}, result.partition);
  return result;
}

GroupedRows with_identical_united(const mpi::Communicator& comm, GroupedRows rows) {
  constexpr double most = 0.85;         // of the groups
  constexpr double least_of_rank = 32;  // parallel orderings fail on small and empty parts
  const auto first_of = first_identical(comm, rows);
  Index left = 0;
  for (Index g = 0; g < rows.groups(); ++g) left += first_of[usize(g)] == g;
  if (left > most * rows.groups() || left < least_of_rank * comm.size()) return rows;
  const Index first = rows.partition.first(comm.rank());
  const auto new_group = mpi::agree_on_error(comm, [&] {
    matrix::Pattern firsts{.rows = rows.pattern.rows, .cols = rows.pattern.cols, .row_ptr = {0}, .col = {}};
    for (Index i = 0; i < firsts.rows; ++i) {
      const auto row = rows.pattern.row(i);
      if (first_of[usize(first + i)] == first + i)
        firsts.col.insert(firsts.col.end(), row.begin(), row.end());
      firsts.row_ptr.push_back(std::ssize(firsts.col));
    }
    rows.pattern = std::move(firsts);
    return numbered(first_of);
  });
  return united(comm, rows, new_group);
}

}  // namespace trisweep::solve
