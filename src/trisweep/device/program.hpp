#pragma once
// What one PE (a rank, a device, or a virtual one) does in a solve, as flat arrays that a kernel reads: all
// phases of its plan as one list of items.
//
// Workers take items in the order of the list, by a ticket, and wait for what an item needs. The lists of all
// PEs are parts of one order in which every item comes after all that it waits for, so
// the first unfinished item of all can always be run, were there but one worker for each PE: no order in
// which workers are scheduled makes them wait for ever. What is sent is an item's end, or an item of its own.
//
// b and x are the caller's, in columns; what brings them in and out are items like others.
//
// Where the host carries messages between layers a program has stops: it is run in as many launches more, of
// the items before each.
//
// Work rows are one array for each PE, which all PEs may write to: slots of segments, then the rows that
// phases add (plan::SweepPhase::extra_rows), then a slot for each message that comes, of just its rows.
// Partial sums are added from there. Messages have a signal each: the number of the last solve in which it
// came; behind these each PE has one for each that it knows: the last solve that the other has finished.
// Nobody puts anything to a PE before it has finished the solve before.

#include <vector>

#include "trisweep/backend/machine.hpp"
#include "trisweep/core/types.hpp"
#include "trisweep/device/exchange_backend.hpp"

namespace trisweep::device {

using namespace backend;

// As plan::RowBlock.
struct RowBlock {
  Offset value;     // of the piece, among the values of its side
  Offset position;  // of the work row of the first row, among the positions
  Index piece;      // of its side
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

// Row blocks, one after another.
struct Product {
  Range row_block;
  Range read;  // counters that say that a segment is available
  Range feed;  // counters of contributions
  Range cell;  // work rows that start at zero
  std::uint8_t side;
  Multiply multiply;
  bool conjugate;
};

// Where a message goes.
struct Put {
  Index pe;
  Index row;     // there
  Index signal;  // there
};

inline constexpr Index none = -1;

// A segment is complete, or has come: contributions are added or the values are taken, and go on.
struct ReduceForward {
  Index row;
  Index width;
  Index counter = none;     // of contributions, those of this PE; none: does not wait for any
  Index contributions = 0;  // in a solve
  Range signal;             // of messages that must have come
  Range cell;               // first work rows of what is added, in order
  Index taken_from = none;  // work row of the values that came
  Range put;
  Index available = none;  // the counter that says so
  Index next = none;       // counter of the segment whose turn is next
  Index supernode = none;
  bool largest = false;  // not the sum: what is largest, by its real part
};

// Of a counter whose contributions all come from this PE: the worker that counts the last one reduces the
// segment. An item for that would keep another worker waiting while products end.
struct Completion {
  Index reduce_forward = none;  // none: an item reduces the segment, or the counter is of something else
  Index contributions = 0;      // as there: a count takes one load less
};

struct RowRun {
  Index row;
  Index rows;
};

// A message between layers, or a part of one: rows that are packed, in order. It comes from, or goes to, the
// work rows from `row` on where the host carries it, and where others put it there.
struct Transfer {
  Range run;
  bool comes = false;
  Index signal = none;  // that it has come; none: the host has brought it
  Index row = none;
  bool adds = false;
  Index put = none;  // where it goes
};

// A row of the caller's vectors and a work row, of which one may be at the other end of a message.
struct MovedRow {
  Index caller = none;
  Index work = none;
};

// Rows of b that come in, or of x that go out, by messages from and to other PEs as a transfer; what is put
// is packed in a worker's scratch.
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

// Rows of the caller's whose residuals are measured (residual.hpp).
struct Measure {
  Range rows;
  Index largest;       // first work row of the largest of each kind
  Index norms = none;  // that of what was found first; none: this is what is found first
};

enum class Action : std::uint8_t {
  product,
  reduce_forward,
  transfer,
  vectors,
  clear,   // runs of rows
  negate,  // rows become the negative of others
  measure,
  close,  // all that may put something here learn that the solve is finished
};

struct Item {
  Action action;
  Index at;  // the first of what it does; of a clear, a negate it goes on to `end`
  Index end = 0;
  Index after = 0;     // the first so many items must be finished
  Index opens = none;  // the last phase of the plan that begins with it
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
  Array<Put> source;  // PEs that put something here: where they learn what this one has finished
};

template <class T>
struct ArrayView {
  const T* data = nullptr;
  Index size = 0;

  TRISWEEP_DEVICE const T& operator[](Index i) const { return data[i]; }
};
using ProgramView = ProgramArrays<ArrayView>;

// Calls convert(array) for each of them.
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
