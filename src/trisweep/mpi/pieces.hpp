#pragma once
// Counts and tags are int in MPI, a message may be larger: here it is decided how one is cut.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "trisweep/core/types.hpp"

namespace trisweep::mpi {

// What MPI is asked to take. Less only in tests, of what larger problems need.
struct Limits {
  std::size_t bytes = std::numeric_limits<int>::max();  // counted as bytes
  Offset tag = std::numeric_limits<int>::max();         // the largest
};

// Blocking transfers of any size, in pieces: transfer(offset, count).
template <class Transfer>
void in_pieces(std::size_t bytes, const Limits& limits, Transfer&& transfer) {
  for (std::size_t at = 0; at < bytes; at += limits.bytes)
    transfer(at, static_cast<int>(std::min(limits.bytes, bytes - at)));
}

// One message of `bytes` bytes, as count and type of a single call: bytes, or where that is too many one
// element of a type made for them. To be kept until the call has returned; what is under way needs it no
// more. Both ends may count differently.
class Extent {
 public:
  Extent(std::size_t bytes, const Limits& limits) : count_(static_cast<int>(bytes)) {
    if (bytes > limits.bytes) make_type(bytes, limits);
  }
  ~Extent() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  void make_type(std::size_t bytes, const Limits& limits);

  int count_;
  MPI_Datatype type_ = MPI_BYTE;
};

// Of a message that has come, or was received.
std::size_t bytes_of(MPI_Status status);

// A type of this size, to count vectors' rows in: a vector has no more of them than fit an int.
class RowType {
 public:
  explicit RowType(std::size_t bytes);
  ~RowType() { MPI_Type_free(&type_); }
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace trisweep::mpi
