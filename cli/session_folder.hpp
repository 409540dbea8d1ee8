#pragma once

namespace trisweep::cli {

// To be called before MPI_Init. Open MPI keeps files of a running process in a folder that processes of one
// user on one machine share: each makes it when it is missing and removes it when it is empty, so that of
// many that come and go one now and then finds it gone between two steps, and MPI_Init ends the program. A
// process that no launcher started gets a folder of its own, which Open MPI makes and removes; ranks have
// their launcher's. What the user set stays.
void use_own_session_folder();

}  // namespace trisweep::cli
