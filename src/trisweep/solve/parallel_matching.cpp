#include "trisweep/solve/parallel_matching.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "trisweep/core/permutation.hpp"
#include "trisweep/ordering/auction.hpp"

namespace trisweep::solve {
namespace {

using ordering::Auction;
using ordering::Costs;
using ordering::Exponents;
using Bid = Auction::Bid;

// Rounds, of some messages each, in which no further column gets a row. There are few of them in turn, unless
// not all rows can be matched.
constexpr int most_fruitless_rounds = 20'000;

// The last increment: a matched entry is then within 2^(1/4) of the largest of its scaled row.
constexpr double last_increment = 0.25;
// If there are too many rounds, a matching by an increment of so many bits will do.
constexpr double coarsest = 2;

// Rows that bid against each other on several ranks take a round for each bid: the first increment is as
// large as differences of costs allow.
ordering::Increments increments_for(const mpi::Communicator& comm, const Costs& costs) {
  const double largest = comm.max(costs.cost.empty() ? 0 : std::ranges::max(costs.cost));
  ordering::Increments increments{.first = last_increment, .last = last_increment};
  while (increments.first * ordering::Increments::reduction <= largest / 4)
    increments.first *= ordering::Increments::reduction;
  return increments;
}

Exponents exponents_of(const Equilibration& units) {
  Exponents of;
  const auto take = [](const std::vector<double>& scale, std::vector<double>& exponent) {
    for (const double s : scale) exponent.push_back(std::ilogb(s));
  };
  take(units.row, of.row);
  take(units.col, of.col);
  return of;
}

// Lowers values, the same number on each rank, to the least of all ranks.
void lower_to_least(const mpi::Communicator& comm, std::vector<double>& values) {
  const auto negate = [&] { std::ranges::transform(values, values.begin(), std::negate<>()); };
  negate();
  comm.max(values);
  negate();
}

// The least cost of each column.
std::vector<double> least_of_columns(const mpi::Communicator& comm, const Costs& costs, Index columns) {
  auto least = mpi::agree_on_error(comm, [&] {
    std::vector<double> of(usize(columns), std::numeric_limits<double>::max());
    for (std::size_t p = 0; p < costs.col.size(); ++p)
      of[usize(costs.col[p])] = std::min(of[usize(costs.col[p])], costs.cost[p]);
    return of;
  });
  lower_to_least(comm, least);
  return least;
}

// The best bid for each column, given those of all ranks.
std::vector<Bid> best_bids(const std::vector<std::vector<Bid>>& of_ranks) {
  std::vector<Bid> bids;
  for (const auto& list : of_ranks) bids.insert(bids.end(), list.begin(), list.end());
  std::ranges::stable_sort(bids, {}, [](const Bid& bid) { return std::pair(bid.column, bid.v); });
  bids.erase(std::ranges::unique(bids, {}, &Bid::column).begin(), bids.end());
  return bids;
}

// Returns true once all columns have rows.
bool bid_until_matched(const mpi::Communicator& comm, Auction& auction, double increment,
                       Observer& observer) {
  Index fewest = std::numeric_limits<Index>::max();
  for (int fruitless = 0; fruitless < most_fruitless_rounds; ++fruitless) {
    const auto mine = mpi::agree_on_error(comm, [&] {
      observer.poll();
      auction.run(increment, observer);
      return auction.new_bids();
    });
    const auto all = comm.gather(mine);
    auto best = mpi::agree_on_error(comm, [&] { return best_bids(all); });
    comm.broadcast(best);
    for (const Bid& bid : best) auction.accept(bid);
    if (auction.free_columns() == 0) return true;
    if (best.empty()) return false;
    if (auction.free_columns() < fewest) fruitless = 0;
    fewest = std::min(fewest, auction.free_columns());
  }
  return false;
}

// Dual variables by which matched entries are tight, u(i) + v(j) = cost(i,j), and others off by no more than
// the last increment. Bids go lower than they must, and scaling would multiply by that: v becomes as large as
// it can be without exceeding `most`, u as small. That is the shortest path to each column, along matched
// entries and others by turns, which Bellman's and Ford's iteration finds.
Exponents tight_duals(const mpi::Communicator& comm, const Costs& costs, const Auction& auction, Index first,
                      const std::vector<double>& most) {
  constexpr int most_iterations = 1000;
  std::vector<Index> col_of_row;
  std::vector<double> u, v, rise, before;
  mpi::agree_on_error(comm, [&] {
    col_of_row = inverse_permutation(auction.row_of());
    v = auction.v();
    u.resize(v.size());
    for (std::size_t i = 0; i + 1 < costs.row_ptr.size(); ++i) {
      const Index own = col_of_row[usize(first) + i];
      for (Offset p = costs.row_ptr[i]; p < costs.row_ptr[i + 1]; ++p)
        if (costs.col[usize(p)] == own) u[usize(first) + i] = costs.cost[usize(p)] - v[usize(own)];
    }
    std::ranges::transform(most, v, std::back_inserter(rise), std::minus<>());
    before.resize(rise.size());
  });
  for (int iteration = 0; before != rise; ++iteration) {
    if (iteration == most_iterations) std::ranges::fill(rise, 0);
    std::ranges::copy(rise, before.begin());
    for (std::size_t i = 0; i + 1 < costs.row_ptr.size(); ++i) {
      const double of_row = rise[usize(col_of_row[usize(first) + i])];
      for (Offset p = costs.row_ptr[i]; p < costs.row_ptr[i + 1]; ++p) {
        const auto j = usize(costs.col[usize(p)]);
        const double slack = std::max(0.0, costs.cost[usize(p)] - u[usize(first) + i] - v[j]);
        rise[j] = std::min(rise[j], slack + of_row);
      }
    }
    lower_to_least(comm, rise);
  }
  comm.sum(u);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] -= rise[usize(col_of_row[i])];
    v[i] += rise[i];
  }
  return {.row = std::move(u), .col = std::move(v)};
}

}  // namespace

template <Scalar T>
std::optional<ordering::Matching> match_in_parallel(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                                    const distribution::RowPartition& partition,
                                                    const Equilibration& units, Observer& observer) {
  const Index first = partition.first(comm.rank()), n = partition.rows();
  auto exponents = mpi::agree_on_error(comm, [&] { return exponents_of(units); });
  const Costs costs =
      mpi::agree_on_error(comm, [&] { return ordering::costs_of_rows(rows, first, exponents); });
  const auto most = least_of_columns(comm, costs, n);
  auto auction = mpi::agree_on_error(comm, [&] {
    std::vector<Index> diagonal(usize(rows.rows()));
    std::iota(diagonal.begin(), diagonal.end(), first);
    return Auction(costs, std::move(diagonal), most, first);
  });
  std::optional<Auction> done;
  ordering::with_falling(increments_for(comm, costs), [&](double increment) {
    mpi::agree_on_error(comm, [&] { auction.free_dissatisfied(increment); });
    if (!bid_until_matched(comm, auction, increment, observer)) return false;
    if (increment <= coarsest) mpi::agree_on_error(comm, [&] { done.emplace(auction); });
    return true;
  });
  if (!done) return std::nullopt;
  const Exponents dual = tight_duals(comm, costs, *done, first, most);
  return mpi::agree_on_error(comm, [&]() -> std::optional<ordering::Matching> {
    return ordering::Matching{.col_of_row = inverse_permutation(done->row_of()),
                              .scaling = ordering::scaling_by<T>(std::move(exponents), dual)};
  });
}

#define INSTANTIATE(T)                                                                    \
  template std::optional<ordering::Matching> match_in_parallel(                           \
      const mpi::Communicator&, const matrix::Csr<T>&, const distribution::RowPartition&, \
      const Equilibration&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
