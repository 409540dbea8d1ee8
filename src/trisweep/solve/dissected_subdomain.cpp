#include "trisweep/solve/dissected_subdomain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trisweep::solve {

DissectedSubdomain::DissectedSubdomain(SubdomainRows rows, int levels, Index seed, Observer& observer)
    : root_(rows.root), own_(std::move(rows.row)) {
  std::vector<Index> columns = rows.col;
  std::ranges::sort(columns);
  columns.erase(std::ranges::unique(columns).begin(), columns.end());
  std::ranges::set_difference(columns, own_, std::back_inserter(around_));
  for (Index& j : rows.col) j = place_of(j);
  for (std::size_t i = 0; i < own_.size(); ++i)
    std::sort(rows.col.begin() + rows.begin[i], rows.col.begin() + rows.begin[i + 1]);
  const auto all = static_cast<Index>(own_.size() + around_.size());
  rows.begin.resize(usize(all) + 1, rows.begin.back());
  pattern_ = matrix::symmetrized(
      {.rows = all, .cols = all, .row_ptr = std::move(rows.begin), .col = std::move(rows.col)});
  const ordering::Dissection how{.levels = levels - ordering::level_of(root_), .by_cost = true, .seed = seed};
  nodes_ = ordering::dissect_with_metis({ordering::ungrouped(pattern_).graph, own(), how}, nullptr, observer);
}

Index DissectedSubdomain::place_of(Index col) const {
  const auto at = std::ranges::lower_bound(own_, col);
  if (at != own_.end() && *at == col) return static_cast<Index>(at - own_.begin());
  return own() + static_cast<Index>(std::ranges::lower_bound(around_, col) - around_.begin());
}

symbolic::Part DissectedSubdomain::part(const std::vector<Index>& number) const {
  symbolic::Part part{.own = own()};
  std::vector<Index> of_place;
  for (const auto* list : {&own_, &around_})
    for (const Index row : *list) of_place.push_back(number[usize(row)]);
  part.number = of_place;
  std::ranges::sort(part.number);
  for (Index& j : of_place)
    j = static_cast<Index>(std::ranges::lower_bound(part.number, j) - part.number.begin());
  part.pattern = matrix::permuted(pattern_, of_place, of_place);
  return part;
}

}  // namespace trisweep::solve
