#pragma once
// An engine's data for its plans, in the order in which the plans were prepared. They are also destroyed in
// that order, which is the same on all ranks, as transports require; an order by address would not be.

#include <algorithm>
#include <utility>
#include <vector>

#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

template <class Prepared>
class PreparedPlans {
 public:
  // Null if nothing is prepared for the plan.
  Prepared* find(const plan::Plan& plan) { return const_cast<Prepared*>(std::as_const(*this).find(plan)); }
  const Prepared* find(const plan::Plan& plan) const {
    const auto at = std::ranges::find(list_, &plan, &Entry::first);
    return at == list_.end() ? nullptr : &at->second;
  }
  // The entry of the plan, which is added if there is none.
  Prepared& of(const plan::Plan& plan) {
    if (Prepared* const known = find(plan)) return *known;
    return list_.emplace_back(&plan, Prepared{}).second;
  }
  void erase(const plan::Plan& plan) {
    std::erase_if(list_, [&](const Entry& entry) { return entry.first == &plan; });
  }
  auto begin() { return list_.begin(); }
  auto end() { return list_.end(); }

 private:
  using Entry = std::pair<const plan::Plan*, Prepared>;
  std::vector<Entry> list_;
};

}  // namespace trisweep::engine
