// The loop of answer.hpp for a peer in Python, which calls it by ctypes.

#include <cstdio>

#include "answer.hpp"

extern "C" {

// Makes the refiner for the system in a file of peer_prepare; null if it cannot be read. There is one per
// process.
void* peers_refiner(const char* system, void (*solve)(int, const double*, double*)) {
  try {
    static peers::Problem problem;
    problem = peers::read_problem(system);
    return new peers::Refiner(problem, solve);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return nullptr;
  }
}

// b and x are column-major, `size` values each; on input x is a copy of b. Returns the number of solves.
int peers_answer(void* refiner, double goal, const double* b, double* x, std::size_t size) {
  return static_cast<peers::Refiner*>(refiner)->solve(goal, {b, size}, {x, size});
}

}  // extern "C"
