#include "trisweep/transport/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <thread>
#include <utility>

namespace trisweep::transport {
namespace {

// MPI counts are int: longer transfers travel in pieces of this many bytes.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;

template <class Transfer>
void in_pieces(std::size_t bytes, Transfer&& transfer) {
  for (std::size_t at = 0; at < bytes; at += piece_bytes) {
    transfer(at, static_cast<int>(std::min(piece_bytes, bytes - at)));
  }
}

// MPI_Wait spins; on shared processors that takes time from the very rank being waited for.
void wait_patiently(MPI_Request& request) {
  constexpr auto longest = std::chrono::milliseconds(2);
  auto pause = std::chrono::microseconds(1);
  int done = 0;
  while (true) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, longest);
  }
}

}  // namespace

bool may_communicate() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized == 0 && std::uncaught_exceptions() == 0;
}

void check(int code, const char* call, const char* remedy) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::environment,
              fmt::format("{} failed: {}", call, std::string(text.data(), usize(length))), remedy);
}

Communicator::Communicator(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Communicator Communicator::of_node() const {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  Communicator result(node);
  MPI_Comm_free(&node);
  return result;
}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && may_communicate()) MPI_Comm_free(&comm_);
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

double Communicator::max(double value) const {
  if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
  return value;
}

double Communicator::sum(double value) const {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm_), "MPI_Allreduce");
  return value;
}

Offset Communicator::max(Offset value) const {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
  return value;
}

void Communicator::broadcast(std::string& text, Index root) const {
  std::vector<char> bytes(text.begin(), text.end());
  broadcast(bytes, root);
  text.assign(bytes.begin(), bytes.end());
}

void Communicator::broadcast_bytes(void* data, std::size_t bytes, Index root) const {
  in_pieces(bytes, [&](std::size_t at, int count) {
    check(MPI_Bcast(static_cast<char*>(data) + at, count, MPI_BYTE, root, comm_), "MPI_Bcast");
  });
}

void Communicator::send_bytes(const void* data, std::size_t bytes, Index to, int tag) const {
  in_pieces(bytes, [&](std::size_t at, int count) {
    check(MPI_Send(static_cast<const char*>(data) + at, count, MPI_BYTE, to, tag, comm_), "MPI_Send");
  });
}

void Communicator::receive_bytes(void* data, std::size_t bytes, Index from, int tag) const {
  in_pieces(bytes, [&](std::size_t at, int count) {
    check(MPI_Recv(static_cast<char*>(data) + at, count, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
  });
}

Failure current_failure() {
  try {
    throw;
  } catch (const Error& e) {
    return {true, e.kind(), e.what()};
  } catch (const std::bad_alloc&) {
    return {
        true, ErrorKind::environment,
        "not enough memory\n  remedy: use more ranks on more nodes, single precision, or a smaller problem"};
  } catch (const std::exception& e) {
    return {true, ErrorKind::environment, e.what()};
  }
}

void throw_first_failure(const Communicator& comm, const Failure& mine) {
  Index first = mine.failed ? comm.rank() : comm.size();
  MPI_Request request;
  check(MPI_Iallreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, comm.handle(), &request),
        "MPI_Iallreduce");
  wait_patiently(request);
  if (first == comm.size()) return;
  Failure failure = mine;
  comm.broadcast(failure.kind, first);
  comm.broadcast(failure.message, first);
  const bool only_root = first == 0;  // rank 0 does what is not distributed: its number would say nothing
  throw CollectiveError(failure.kind,
                        only_root ? failure.message : fmt::format("rank {}: {}", first, failure.message));
}

}  // namespace trisweep::transport
