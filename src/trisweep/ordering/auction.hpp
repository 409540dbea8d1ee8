#pragma once
// Column prices that are nearly optimal, by an auction: a cheap start for shortest augmenting paths.

#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/ordering/costs.hpp"

namespace trisweep::ordering {

// Lowers the dual variables v of columns, so that most rows can be matched to entries of which u(i) + v(j) =
// cost(i,j) with u(i) = min_j (cost(i,j) - v(j)). Begins with a matching (col_of_row, -1: unmatched) of such
// entries.
//
// Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment problem", Annals of
// Operations Research 14 (1988), with its scaling of the increment. Gives up after a number of bids
// proportional to that of rows: where few prices decide about long chains of rows, or where not all rows can
// be matched, there is no end of bidding soon.
void run_auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double>& v,
                 Observer& observer);

}  // namespace trisweep::ordering
