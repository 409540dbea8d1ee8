#pragma once
// A triangular system distributed over several PEs: the components of each with their columns, because the PE
// that has solved a component contributes to others, and the number of contributions a component waits for.

#include <cstdint>

#include "studies/pes/designs.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::studies {

// Contributions that a component waits for.
using Degree = std::int32_t;

// Of one PE.
template <Scalar T>
struct PeProgram {
  std::vector<Index> component;  // its own, ascending
  // By own component.
  std::vector<Index> number;       // the caller's
  std::vector<T> diagonal;         // empty: ones
  std::vector<Offset> begin{0};    // of its column's entries; one more
  std::vector<Offset> arrival{0};  // of the slots where sums of other PEs arrive; one more
  // By entry.
  std::vector<Index> user;  // the component that it contributes to
  std::vector<T> value;
  // By component of all PEs.
  std::vector<Degree> missing;  // contributions that this PE makes
  std::vector<Offset> slot;     // of its PE: where this one's sum arrives
};

template <Scalar T>
struct PePrograms {
  Exchange exchange;
  std::vector<Index> owner;     // by component
  std::vector<Degree> foreign;  // by component: contributions of other PEs than its own
  std::vector<PeProgram<T>> pe;

  Index rows() const { return static_cast<Index>(owner.size()); }
};

// `users`: the transpose of what is below the diagonal.
template <Scalar T>
PePrograms<T> pe_programs(const sptrsv::LowerSystem<T>& system, const matrix::Csr<T>& users,
                          const PeLayout& layout, const std::vector<Index>& pe_of_task, Exchange exchange);

}  // namespace trisweep::studies
