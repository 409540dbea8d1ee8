#pragma once
// Tests of what is compiled once for each instruction set: of all that this processor has, not of the best
// one alone, which is all that the library takes.

#include <cstdio>

#include "trisweep/core/instruction_set.hpp"

// Calls visit("isa", isa::function), and says which this processor cannot run.
#define TRISWEEP_VISIT_ISA(isa, visit, ...)                                       \
  if (trisweep::instruction_set::isa()) {                                         \
    visit(#isa, isa::__VA_ARGS__);                                                \
  } else {                                                                        \
    std::printf("not tested: kernels for %s: this processor has it not\n", #isa); \
  }
