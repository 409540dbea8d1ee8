#pragma once
// What an engine has prepared for plans, in the order in which ranks prepare them: it is destroyed in that
// order, too, on all ranks alike, as transports need it. By address ranks would differ.

#include <algorithm>
#include <utility>
#include <vector>

#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

template <class Prepared>
class PreparedPlans {
 public:
  // Null: nothing.
  Prepared* find(const plan::Plan& plan) { return const_cast<Prepared*>(std::as_const(*this).find(plan)); }
  const Prepared* find(const plan::Plan& plan) const {
    const auto at = std::ranges::find(list_, &plan, &Entry::first);
    return at == list_.end() ? nullptr : &at->second;
  }
  // The entry of the plan, which is added when there is none.
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
