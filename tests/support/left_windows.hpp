#pragma once
// Windows that a failure has left on all ranks, and that MPI's end would stumble over: Debian's MPICH ends
// MPI_Finalize with an assertion where there are any. left_windows.cpp counts those of the program.

namespace trisweep::testing_support {

// Once, before there are any: whatever is left when MPI ends is freed.
void free_left_windows_at_the_end();
// That were made here and not freed.
int windows();

}  // namespace trisweep::testing_support
