#include "studies/pes/designs.hpp"

#include "trisweep/core/named.hpp"

namespace trisweep::studies {

std::span<const NamedDesign> designs() {
  static const std::vector<NamedDesign> table{
      {"unified", "managed memory, components in order", {contiguous}, Exchange::unified, false},
      {"unified+tasks",
       "managed memory, tasks distributed round-robin",
       {round_robin},
       Exchange::unified,
       true},
      {"get-update-put",
       "sums in the owner's memory, one PE at a time",
       {contiguous},
       Exchange::get_update_put,
       false},
      {"shmem",
       "sums in each PE's own memory, which owners read; components in order",
       {contiguous},
       Exchange::read_only,
       false},
      {"zero-copy", "the same, tasks distributed round-robin", {round_robin}, Exchange::read_only, true},
      {"push",
       "complete sums are put with a signal, tasks are placed by the model",
       {earliest_finish, round_robin, contiguous},
       Exchange::push,
       true},
  };
  return table;
}

const NamedDesign& find_design(std::string_view name) {
  return find_named(designs(), "design", name);
}

}  // namespace trisweep::studies
