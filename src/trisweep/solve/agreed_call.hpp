#pragma once
// What ranks must ask for alike in a call, before any of them waits for another in it.

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

// Collective, in one reduction. Whether `wish` is set on any rank. Throws on every rank, which is as before:
// the error of the lowest rank that refuses the call, or Error(usage), which names what ranks ask for
// otherwise.
bool agree_on_call(const mpi::Communicator& comm, const Call& call, const mpi::Failure& refusal = {},
                   bool wish = false);
// The same of a rank that refuses the call where check() throws.
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
