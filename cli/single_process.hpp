#pragma once

namespace trisweep::cli {

// MPI_Init_thread, whose arguments these are. For a process that no launcher started it chooses how Open MPI
// begins; ranks have what their launcher says, and what the user set stays.
//
// - No daemon, which Open MPI 4 starts beside each such process for MPI_Comm_spawn alone, and no network to
//   look for: these take 0.3 of the 0.34 seconds that the command needs to begin and to end.
// - No look for GPUs, displays and PCI devices by hwloc's plugins, which takes a fifth of what is left. What
//   the process starts later finds them.
// - A folder of its own: Open MPI keeps files of a running process in a folder that processes of one user on
//   one machine share: each makes it when it is missing and removes it when it is empty, so that of many that
//   come and go one now and then finds it gone between two steps, and MPI_Init ends the program.
void begin_mpi(int* argc, char*** argv, int thread_support);

}  // namespace trisweep::cli
