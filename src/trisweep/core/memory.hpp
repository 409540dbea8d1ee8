#pragma once
#include <cstddef>

namespace trisweep {

// Bytes this process can still allocate without swapping: the system's available memory, within the limits of
// the control group and of the process. An estimate, right in its order of magnitude.
std::size_t available_memory();

// Throws Error(environment) naming `what` and both sizes if `bytes` exceed available_memory(), or if `bytes`
// plus `mapped` (address space whose memory is hardly used) exceed the process's limit of address space.
// `remedy` advises the user what to do besides raising that limit.
void require_memory(
    std::size_t bytes, const char* what, std::size_t mapped = 0,
    const char* remedy = "use more ranks, fewer threads, a machine with more memory, or --precision mixed");

// Returns freed memory to the system: MPI libraries may have told malloc to keep it.
void return_free_memory();

}  // namespace trisweep
