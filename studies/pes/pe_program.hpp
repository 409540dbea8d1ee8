#pragma once
// A triangular system distributed over several PEs: each PE has its components with their columns, because
// the PE that has solved a component contributes to others, and the number of contributions that each
// component waits for.

#include <cstdint>

#include "studies/pes/designs.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::studies {

// Number of contributions that a component waits for.
using Degree = std::int32_t;

// The program of one PE.
template <Scalar T>
struct PeProgram {
  std::vector<Index> component;  // its own components, ascending
  // By own component.
  std::vector<Index> number;       // the caller's number
  std::vector<T> diagonal;         // empty: ones
  std::vector<Offset> begin{0};    // offsets of its column's entries; one more
  std::vector<Offset> arrival{0};  // offsets of the slots where sums of other PEs arrive; one more
  // By entry.
  std::vector<Index> user;  // the component that it contributes to
  std::vector<T> value;
  // By component of all PEs.
  std::vector<Degree> missing;  // number of contributions that this PE makes
  std::vector<Offset> slot;     // slot of the owner where this PE's sum arrives
};

template <Scalar T>
struct PePrograms {
  Exchange exchange;
  std::vector<Index> owner;     // by component
  std::vector<Degree> foreign;  // by component: number of contributions of PEs other than its owner
  std::vector<PeProgram<T>> pe;

  Index rows() const { return static_cast<Index>(owner.size()); }
};

// `users`: the transpose of the part below the diagonal.
template <Scalar T>
PePrograms<T> pe_programs(const sptrsv::LowerSystem<T>& system, const matrix::Csr<T>& users,
                          const PeLayout& layout, const std::vector<Index>& pe_of_task, Exchange exchange);

}  // namespace trisweep::studies
