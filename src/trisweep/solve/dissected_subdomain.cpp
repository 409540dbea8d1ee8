#include "trisweep/solve/dissected_subdomain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trisweep::solve {

template <class Visit>  // visit(group)
void DissectedSubdomain::for_each_group(const Visit& visit) const {
  for (const auto* list : {&own_, &around_})
    for (const Index group : *list) visit(group);
}

DissectedSubdomain::DissectedSubdomain(SubdomainRows rows, const GroupedRows& groups,
                                       const ordering::OrderingOptions& options, Observer& observer)
    : groups_(groups), root_(rows.root), own_(std::move(rows.row)) {
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
  ordering::Graph graph = ordering::ungrouped(pattern_).graph;
  graph.weight.clear();
  for_each_group(
      [&](Index group) { graph.weight.push_back(static_cast<Index>(groups_.members(group).size())); });
  const ordering::Dissection how{
      .levels = options.tree_levels - ordering::level_of(root_), .by_cost = true, .seed = options.seed};
  nodes_ = ordering::dissect_with_metis({std::move(graph), own(), how}, nullptr, observer);
}

Index DissectedSubdomain::place_of(Index col) const {
  const auto at = std::ranges::lower_bound(own_, col);
  if (at != own_.end() && *at == col) return static_cast<Index>(at - own_.begin());
  return own() + static_cast<Index>(std::ranges::lower_bound(around_, col) - around_.begin());
}

symbolic::Part DissectedSubdomain::part(const std::vector<Index>& number) const {
  symbolic::Part part;
  std::vector<Index> begin{0}, of_place;  // places of all rows, by group
  for_each_group([&](Index group) {
    for (const Index row : groups_.members(group)) of_place.push_back(number[usize(row)]);
    begin.push_back(static_cast<Index>(of_place.size()));
  });
  part.own = begin[own_.size()];
  part.number = of_place;
  std::ranges::sort(part.number);
  for (Index& j : of_place)
    j = static_cast<Index>(std::ranges::lower_bound(part.number, j) - part.number.begin());
  const Index all = begin.back();
  matrix::Pattern rows{.rows = all, .cols = all, .row_ptr = {0}, .col = {}};
  for (Index group = 0; group < pattern_.rows; ++group) {
    for (Index place = begin[usize(group)]; place < begin[usize(group) + 1]; ++place) {
      for (const Index next : pattern_.row(group)) {
        for (Index j = begin[usize(next)]; j < begin[usize(next) + 1]; ++j) {
          if (place < part.own || j < part.own || j == place) rows.col.push_back(j);
        }
      }
      rows.row_ptr.push_back(std::ssize(rows.col));
    }
  }
  part.pattern = matrix::permuted(rows, of_place, of_place);
  return part;
}

}  // namespace trisweep::solve
