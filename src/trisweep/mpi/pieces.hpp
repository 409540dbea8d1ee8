#pragma once
// How messages that exceed MPI's counts, which are int, are split.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "trisweep/core/types.hpp"

namespace trisweep::mpi {

// Largest values passed to MPI. Smaller only in tests, to exercise what otherwise takes larger problems.
struct Limits {
  std::size_t bytes = std::numeric_limits<int>::max();  // of one message or piece counted in bytes
  Offset tag = std::numeric_limits<int>::max();         // the largest tag
};

// Blocking transfers of any size, in pieces: transfer(offset, count).
template <class Transfer>
void in_pieces(std::size_t bytes, const Limits& limits, Transfer&& transfer) {
  for (std::size_t at = 0; at < bytes; at += limits.bytes)
    transfer(at, static_cast<int>(std::min(limits.bytes, bytes - at)));
}

// One message of `bytes` bytes, as count and type of a single call: a count of bytes, or, if that is too
// large, one element of a type made for the message. The object must live until the call has returned; an
// operation in flight does not need it. The two ends may count differently.
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

// Size of a message that was probed or received.
std::size_t bytes_of(MPI_Status status);

// A type of `bytes` bytes, to count the rows of vectors: a vector has no more rows than fit an int.
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
