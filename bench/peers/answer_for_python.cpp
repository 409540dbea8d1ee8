// The loop of answer.hpp for a peer that is called from Python, by ctypes.

#include <cstdio>

#include "answer.hpp"

extern "C" {

// For the system of a file that peer_prepare wrote; null when it cannot be read. There is one for a process.
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

// b and x by columns, `size` values each; x comes in as a copy of b. Returns how often it was solved.
int peers_answer(void* refiner, double goal, const double* b, double* x, std::size_t size) {
  return static_cast<peers::Refiner*>(refiner)->solve(goal, {b, size}, {x, size});
}

}  // extern "C"
