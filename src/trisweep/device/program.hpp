#pragma once
// What one PE (a rank, a device, or a virtual PE) does in a solve, as flat arrays that a kernel reads: all
// phases of its plan as one list of items.
//
// Workers take items in the order of the list, by ticket, and wait for the inputs of each item. The lists of
// all PEs are parts of one global order in which every item comes after all items that it waits for. So the
// first unfinished item can always run, even with a single worker for each PE: whatever the scheduling of
// workers, there is no deadlock. A message is sent at the end of an item, or by an item of its own.
//
// b and x are the caller's, column-major; items move them in and out.
//
// If the host carries messages between layers, a program has launch boundaries: each launch runs the items up
// to the next boundary.
//
// Work rows are one array for each PE, to which all PEs may write: slots of segments, then the rows that
// phases add (plan::SweepPhase::extra_rows), then a slot for each incoming message, of exactly its rows.
// Partial sums are added directly from these slots. Each message has a signal: the number of the last solve
// in which it arrived. After these signals each PE has one for each PE that it knows: the last solve that the
// other PE has finished. No PE puts anything to another that has not finished the previous solve.

#include <vector>

#include "trisweep/backend/machine.hpp"
#include "trisweep/core/types.hpp"
#include "trisweep/device/exchange_backend.hpp"

namespace trisweep::device {

using namespace backend;

// As plan::RowBlock.
struct RowBlock {
  Offset value;     // of the piece, an index into the values of its side
  Offset position;  // index into the positions, of the first row's work row
  Index piece;      // index of the piece in its side
  Index height;
  Index width;
  Index row_begin;
  Index row_end;
  Index at;  // first work row of the panel side
};

enum class Multiply : std::uint8_t {
  scatter,           // work(position, :) -= P work(at, :)
  gather,            // work(at, :) -= P^T work(position, :)
  in_place,          // work(at, :) = P work(at, :), square
  in_place_by_rows,  // work(at, :) = P^T work(at, :)
};

struct Range {
  Index begin = 0;
  Index end = 0;
};

// Products with row blocks, one after another.
struct Product {
  Range row_block;
  Range read;  // counters that tell that a segment is available
  Range feed;  // counters of contributions
  Range cell;  // work rows that start at zero
  std::uint8_t side;
  Multiply multiply;
  bool conjugate;
};

// Destination of a message.
struct Put {
  Index pe;
  Index row;     // of that PE
  Index signal;  // of that PE
};

inline constexpr Index none = -1;

// A segment is complete, or has arrived: its contributions are added, or its values copied, and it is
// forwarded.
struct ReduceForward {
  Index row;
  Index width;
  Index counter = none;     // of this PE's contributions; none: does not wait for any
  Index contributions = 0;  // number in one solve
  Range signal;             // of messages that must have arrived
  Range cell;               // first work rows of the summands, in order
  Index taken_from = none;  // work row of values that arrived
  Range put;
  Index available = none;  // counter that tells that the segment is available
  Index next = none;       // counter of the segment that is reduced next
  Index supernode = none;
  bool largest = false;  // takes the maximum, by real part, instead of the sum
};

// For a counter whose contributions all come from this PE: the worker that counts the last contribution
// reduces the segment. A separate item would keep another worker waiting until the products end.
struct Completion {
  Index reduce_forward = none;  // none: an item does it, or the counter is not of contributions
  Index contributions = 0;      // copy of that in ReduceForward, which saves a load
};

struct RowRun {
  Index row;
  Index rows;
};

// A message between layers, or a part of one: runs of rows, packed in order. If the host carries it, the
// packed rows are at the work rows from `row` on; so are those that another PE has put here.
struct Transfer {
  Range run;
  bool comes = false;
  Index signal = none;  // of its arrival; none: the host has brought it
  Index row = none;
  bool adds = false;
  Index put = none;  // its destination
};

// A row of the caller's vectors and a work row; one of them may be at the other end of a message.
struct MovedRow {
  Index caller = none;
  Index work = none;
};

// Rows of b moved in, or of x moved out, possibly by a message from or to another PE, as in Transfer; rows to
// be put are packed in a worker's scratch.
struct VectorMove {
  Range moved{};
  bool in = false;
  Index signal = none;
  Index row = none;
  Index put = none;
};

struct Negation {
  Index row;
  Index from;
  Index rows;
};

// Rows of the caller's vectors whose residuals are measured (residual.hpp).
struct Measure {
  Range rows;
  Index largest;       // first work row of the maxima, by kind
  Index norms = none;  // first work row of the first norms; none: these are the first norms
};

enum class Action : std::uint8_t {
  product,
  reduce_forward,
  transfer,
  vectors,
  clear,   // sets runs of rows to zero
  negate,  // rows become the negative of others
  measure,
  close,  // notifies all PEs that may put something here that the solve is finished
};

struct Item {
  Action action;
  Index at;  // index of its data; for clear and negate the range [at, end)
  Index end = 0;
  Index after = 0;     // number of items, from the first, that must be finished before
  Index opens = none;  // last phase of the plan that begins with this item
};

template <template <class> class Array>
struct ProgramArrays {
  Array<Item> item;
  Array<Product> product;
  Array<RowBlock> row_block;
  Array<Index> position;
  Array<Index> read;
  Array<Index> feed;
  Array<ReduceForward> reduce_forward;
  Array<Completion> completion;  // by counter
  Array<Index> signal;
  Array<Index> cell;
  Array<Put> put;
  Array<Transfer> transfer;
  Array<VectorMove> vector_move;
  Array<MovedRow> moved;
  Array<RowRun> run;
  Array<Negation> negation;
  Array<Measure> measure;
  Array<Put> source;  // PEs that put something here, and their signals of what this one has finished
};

template <class T>
struct ArrayView {
  const T* data = nullptr;
  Index size = 0;

  TRISWEEP_DEVICE const T& operator[](Index i) const { return data[i]; }
};
using ProgramView = ProgramArrays<ArrayView>;

// Returns a view with convert(array) of each array.
template <class Arrays, class Convert>
ProgramView view_of(const Arrays& p, Convert&& convert) {
  return {.item = convert(p.item),
          .product = convert(p.product),
          .row_block = convert(p.row_block),
          .position = convert(p.position),
          .read = convert(p.read),
          .feed = convert(p.feed),
          .reduce_forward = convert(p.reduce_forward),
          .completion = convert(p.completion),
          .signal = convert(p.signal),
          .cell = convert(p.cell),
          .put = convert(p.put),
          .transfer = convert(p.transfer),
          .vector_move = convert(p.vector_move),
          .moved = convert(p.moved),
          .run = convert(p.run),
          .negation = convert(p.negation),
          .measure = convert(p.measure),
          .source = convert(p.source)};
}

}  // namespace trisweep::device
