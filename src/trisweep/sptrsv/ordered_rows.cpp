#include "trisweep/sptrsv/ordered_rows.hpp"

#include "trisweep/core/permutation.hpp"

namespace trisweep::sptrsv {

template <Scalar T>
OrderedRows<T> ordered_rows(const LowerSystem<T>& system, const DevicePlan& plan) {
  OrderedRows<T> ordered{.launch = plan.launch, .lanes = plan.lanes};
  const std::vector<Index> position = inverse_permutation(plan.row);
  ordered.number.reserve(plan.row.size());
  ordered.column.reserve(system.value.size());
  ordered.value.reserve(system.value.size());
  for (const Index i : plan.row) {
    ordered.number.push_back(system.number(i));
    for (const Offset e : system.below.entries(i)) {
      ordered.column.push_back(position[usize(system.below.col[usize(e)])]);
      ordered.value.push_back(system.value[usize(e)]);
    }
    ordered.begin.push_back(static_cast<Offset>(ordered.column.size()));
    if (!system.diagonal.empty()) ordered.diagonal.push_back(system.diagonal[usize(i)]);
  }
  return ordered;
}

#define INSTANTIATE(T) template OrderedRows<T> ordered_rows(const LowerSystem<T>&, const DevicePlan&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
