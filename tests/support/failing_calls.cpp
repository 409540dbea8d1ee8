// Allocations by operator new and aligned_alloc, votes (throw_first_failure) by MPI_Iallreduce, calls by
// functions of their names, before those of MPI's profiling interface.

#include "support/failing_calls.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <new>

using namespace trisweep::testing_support;

namespace {

int made_communicator(int code, MPI_Comm* made) {
  if (code != MPI_SUCCESS) return code;
  ++communicators;
  if (!makers.fails()) return code;
  MPI_Comm_free(made);
  return MPI_ERR_OTHER;
}

int count_and_send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  if (const auto at = static_cast<std::size_t>(tag); at < sent_by_tag.size()) {
    int size = 0;
    PMPI_Type_size(type, &size);
    ++sent_by_tag[at].messages;
    sent_by_tag[at].bytes += long{size} * count;
  }
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = allocations.fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// What standard algorithms do without when it fails. Sanitizers have one of their own, which our delete would
// not fit.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocations.fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#ifndef __SANITIZE_ADDRESS__
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  return allocations.fails() || posix_memalign(&memory, alignment, bytes) != 0 ? nullptr : memory;
}
#endif

// As of a rank that has met an error: the lowest rank with one becomes known.
extern "C" int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  const bool vote = type == MPI_INT32_T && op == MPI_MIN;
  if (vote && agreements.fails()) MPI_Comm_rank(comm, static_cast<int*>(all));
  if (transfers.fails()) return MPI_ERR_OTHER;
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

// As of a network that gives up.
#define FAIL_INSTEAD(countdown, name, parameters, ...)               \
  extern "C" int name parameters {                                   \
    return countdown.fails() ? MPI_ERR_OTHER : P##name(__VA_ARGS__); \
  }
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  return transfers.fails() ? MPI_ERR_OTHER : count_and_send(data, count, type, to, tag, comm, request);
}
FAIL_INSTEAD(transfers, MPI_Issend,
             (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request),
             data, count, type, to, tag, comm, request)
FAIL_INSTEAD(transfers, MPI_Irecv,
             (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request),
             data, count, type, from, tag, comm, request)
FAIL_INSTEAD(transfers, MPI_Ibcast,
             (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request), data,
             count, type, root, comm, request)
FAIL_INSTEAD(transfers, MPI_Igather,
             (const void* data, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
              int root, MPI_Comm comm, MPI_Request* request),
             data, count, type, all, all_count, all_type, root, comm, request)
FAIL_INSTEAD(transfers, MPI_Iallgatherv,
             (const void* data, int count, MPI_Datatype type, void* all, const int* counts, const int* places,
              MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request),
             data, count, type, all, counts, places, all_type, comm, request)
FAIL_INSTEAD(transfers, MPI_Ialltoallv,
             (const void* data, const int* counts, const int* places, MPI_Datatype type, void* all,
              const int* all_counts, const int* all_places, MPI_Datatype all_type, MPI_Comm comm,
              MPI_Request* request),
             data, counts, places, type, all, all_counts, all_places, all_type, comm, request)
FAIL_INSTEAD(transfers, MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request), comm, request)
FAIL_INSTEAD(transfers, MPI_Imrecv,
             (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request), data,
             count, type, message, request)
FAIL_INSTEAD(transfers, MPI_Rput,
             (const void* data, int count, MPI_Datatype type, int to, MPI_Aint at, int to_count,
              MPI_Datatype to_type, MPI_Win window, MPI_Request* request),
             data, count, type, to, at, to_count, to_type, window, request)
FAIL_INSTEAD(transfers, MPI_Rget,
             (void* data, int count, MPI_Datatype type, int from, MPI_Aint at, int from_count,
              MPI_Datatype from_type, MPI_Win window, MPI_Request* request),
             data, count, type, from, at, from_count, from_type, window, request)
FAIL_INSTEAD(transfers, MPI_Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype* made), count, type,
             made)
FAIL_INSTEAD(transfers, MPI_Type_create_struct,
             (int count, const int* counts, const MPI_Aint* places, const MPI_Datatype* types,
              MPI_Datatype* made),
             count, counts, places, types, made)
FAIL_INSTEAD(transfers, MPI_Type_commit, (MPI_Datatype * type), type)
FAIL_INSTEAD(polls, MPI_Test, (MPI_Request * request, int* done, MPI_Status* status), request, done, status)
FAIL_INSTEAD(polls, MPI_Iprobe, (int from, int tag, MPI_Comm comm, int* found, MPI_Status* status), from, tag,
             comm, found, status)
FAIL_INSTEAD(polls, MPI_Improbe,
             (int from, int tag, MPI_Comm comm, int* found, MPI_Message* message, MPI_Status* status), from,
             tag, comm, found, message, status)
FAIL_INSTEAD(polls, MPI_Get_count, (const MPI_Status* status, MPI_Datatype type, int* count), status, type,
             count)
FAIL_INSTEAD(polls, MPI_Get_elements_x, (const MPI_Status* status, MPI_Datatype type, MPI_Count* count),
             status, type, count)
FAIL_INSTEAD(polls, MPI_Win_sync, (MPI_Win window), window)
FAIL_INSTEAD(attributes, MPI_Comm_get_attr, (MPI_Comm comm, int key, void* value, int* found), comm, key,
             value, found)
FAIL_INSTEAD(attributes, MPI_Comm_set_attr, (MPI_Comm comm, int key, void* value), comm, key, value)
FAIL_INSTEAD(attributes, MPI_Comm_test_inter, (MPI_Comm comm, int* is_one), comm, is_one)
FAIL_INSTEAD(attributes, MPI_Comm_compare, (MPI_Comm one, MPI_Comm other, int* relation), one, other,
             relation)
FAIL_INSTEAD(attributes, MPI_Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler), comm, handler)
FAIL_INSTEAD(attributes, MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), comm, handler)
FAIL_INSTEAD(makers, MPI_Win_get_attr, (MPI_Win window, int key, void* value, int* found), window, key, value,
             found)
#undef FAIL_INSTEAD

extern "C" int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return made_communicator(PMPI_Comm_dup_with_info(comm, info, made), made);
}
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return made_communicator(PMPI_Comm_split_type(comm, type, key, info, made), made);
}
extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  --communicators;
  const int code = PMPI_Comm_free(comm);
  return makers.fails() ? MPI_ERR_OTHER : code;
}
