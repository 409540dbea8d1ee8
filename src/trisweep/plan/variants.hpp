#pragma once
// The choices on each axis of a plan, by the names that users know. A new schedule, exchange or tree is one
// new file and one row here; the command line, the run record and the variants test take their choices from
// these tables.

#include <span>
#include <string>
#include <string_view>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

template <class Choice>
struct Variant {
  std::string_view name;
  Choice choice;
};

struct NamedSchedule {
  std::string_view name;
  Schedule choice;
  bool exchanges = false;  // uses `inter_grid`, which does not apply to the others
  bool baseline = false;   // for comparison only: never chosen automatically
};

std::span<const NamedSchedule> schedules();
std::span<const Variant<InterGrid>> inter_grids();
std::span<const Variant<Tree>> trees();

// The choice of that name. Throws Error(usage), which lists the valid names, if there is none.
const NamedSchedule& find_schedule(std::string_view name);
InterGrid find_inter_grid(std::string_view name);
Tree find_tree(std::string_view name);

}  // namespace trisweep::plan
