#pragma once
// Tables of choices that users know by name. A row of a table has a member `name`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trisweep/core/error.hpp"

namespace trisweep {

template <class Row>
std::vector<std::string> names_of(std::span<const Row> table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

// "name: description; name" of rows that also have a member `description`, which may be empty.
template <class Row>
std::string described(std::span<const Row> table) {
  std::string text;
  for (const Row& row : table) {
    if (!text.empty()) text += "; ";
    text += row.name;
    if (!row.description.empty()) text.append(": ").append(row.description);
  }
  return text;
}

// Returns the row called `name`, or throws Error(usage) that lists all names; `what` is the table's subject,
// such as "mapping", and `or_else` may end the list with another kind of value that is accepted.
template <class Row>
const Row& find_named(std::span<const Row> table, std::string_view what, std::string_view name,
                      std::string_view or_else = {}) {
  std::string known;
  for (const Row& row : table) {
    if (row.name == name) return row;
    if (!known.empty()) known += ", ";
    known += row.name;
  }
  throw Error(ErrorKind::usage, "there is no " + std::string(what) + " '" + std::string(name) + "'",
              "choose one of: " + known + std::string(or_else));
}

}  // namespace trisweep
