#pragma once
// Agreement of all ranks on the arguments of a call, before any rank waits for another in it.

#include <concepts>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

struct Call {
  const char* name;  // of the method
  Op op = Op::none;
  Index nrhs = 0;
  RefinementOptions refinement{};
};

// Collective, in one reduction. Returns true if `wish` is set on any rank. Throws on every rank, and changes
// nothing: the error of the lowest rank that refuses the call, or Error(usage), which names the arguments in
// which ranks differ.
bool agree_on_call(const mpi::Communicator& comm, const Call& call, const mpi::Failure& refusal = {},
                   bool wish = false);
// The same; a rank refuses the call if its check() throws.
template <std::invocable Check>
bool agree_on_call(const mpi::Communicator& comm, const Call& call, const Check& check, bool wish = false) {
  mpi::Failure refusal;
  try {
    check();
  } catch (...) {
    refusal = mpi::current_failure();
  }
  return agree_on_call(comm, call, refusal, wish);
}

}  // namespace trisweep::solve
