#pragma once
#include <cstddef>

namespace trisweep {

// Bytes this process can still take without swapping: what the system calls available, within the limits set
// on the control group and on the process. A guess that is right about the order of magnitude.
std::size_t available_memory();

// Throws Error(environment) naming `what` and both figures when `bytes` are more than available_memory(), or
// when these and `mapped`, addresses whose memory is hardly used, do not fit the limit on the process's
// addresses. `remedy`: what the user can do then.
void require_memory(std::size_t bytes, const char* what, std::size_t mapped = 0,
                    const char* remedy = "use more ranks, a machine with more memory, or --precision mixed");

// Gives the system back what the process has freed. MPI libraries may have told malloc to keep all that it
// ever had.
void return_free_memory();

}  // namespace trisweep
