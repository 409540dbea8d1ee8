#pragma once

namespace trisweep::cli {

// Calls MPI_Init_thread with these arguments. For a process that was not started by an MPI launcher, it first
// sets variables of Open MPI and hwloc, unless the user has set them; ranks keep their launcher's settings.
//
// - No daemon, which Open MPI 4 starts beside each such process only for MPI_Comm_spawn, and no search for
//   networks: these take 0.3 of the 0.34 seconds that the command needs to start and to end.
// - No search for GPUs, displays and PCI devices by hwloc, which takes a quarter of the rest. Programs that
//   this process starts later do find them.
// - A private session folder. By default all processes of a user on a machine share Open MPI's folder: each
//   creates it if missing and removes it if empty. When many processes start and end, one occasionally finds
//   it removed between two steps, and MPI_Init ends the program.
void begin_mpi(int* argc, char*** argv, int thread_support);

}  // namespace trisweep::cli
