#pragma once
// One worker of a PE, and the persistent kernel that runs workers. A worker takes items by ticket until there
// are none; it waits for the inputs of each, runs it, and signals its end.

#include "trisweep/backend/waiting.hpp"
#include "trisweep/device/pe.hpp"
#include "trisweep/device/products_in_tiles.hpp"
#include "trisweep/device/residual.hpp"

namespace trisweep::device {

// `columns`: largest number of right-hand sides that products take at a time.
template <class Side, class T, class Peers, int columns, class Block>
class Worker {
 public:
  TRISWEEP_DEVICE Worker(const Pe<Side, T, Peers>& pe, const Block& block)
      : pe_(pe), program_(pe.program), block_(block) {}

  TRISWEEP_DEVICE_INLINE void run() const {
    for (;;) {
      const Count item = next([&] { return take_ticket(); });
      if (item == no_item) return;
      complete(static_cast<Index>(item));
    }
  }
  // Runs one item, without a ticket, once its inputs are available.
  TRISWEEP_DEVICE_INLINE void run_only(Index number) const {
    const Count item = next([&] { return Count(number); });
    if (item != no_item) complete(static_cast<Index>(item));
  }

 private:
  TRISWEEP_DEVICE auto& control() const { return *pe_.peers.mine().control; }
  TRISWEEP_DEVICE T* row(Index r) const { return pe_.work.row + entry(r); }
  // Number of right-hand sides: a kernel whose products take one at a time is used for only one.
  TRISWEEP_DEVICE Index nrhs() const { return columns == 1 ? 1 : pe_.work.nrhs; }
  TRISWEEP_DEVICE std::size_t entry(Index r) const { return usize(r) * usize(nrhs()); }

  TRISWEEP_DEVICE Count take_ticket() const {
    const Count items = usize(program_.item.size), end = usize(pe_.solve.end);
    return backend::take_ticket(&control().ticket, (pe_.solve.number - 1) * items + pe_.solve.ended,
                                end < items ? end : items);
  }

  template <class Take>
  TRISWEEP_DEVICE_INLINE Count next(const Take& take) const {
    return block_.take(
        take, [&](Count item) { return wait_for_inputs(static_cast<Index>(item)); },
        [&](Count item, Index share, Index shares) {
          prefetch(program_.item[static_cast<Index>(item)], share, shares);
        });
  }

  // The following are called by all lanes of a group, and return false if workers must leave instead.
  TRISWEEP_DEVICE bool wait_for_inputs(Index number) const {
    const Item& item = program_.item[number];
    const Count before = (pe_.solve.number - 1) * usize(program_.item.size) + usize(item.after);
    if (item.after > 0 && !wait(number, [&] { return has_finished(before); })) return false;
    switch (item.action) {
      case Action::product: {
        return wait_for_all(number, program_.product[item.at].read,
                            [&](Index i) { return has_counted(program_.read[i], 1); });
      }
      case Action::reduce_forward: {
        const ReduceForward& s = program_.reduce_forward[item.at];
        return wait_for(number, s) && wait_for_room(number, s.put);
      }
      case Action::transfer: {
        const Transfer& t = program_.transfer[item.at];
        return wait_for_message(number, t.signal, t.put);
      }
      case Action::vectors: {
        const VectorMove& m = program_.vector_move[item.at];
        return wait_for_message(number, m.signal, m.put);
      }
      default:
        return true;
    }
  }
  TRISWEEP_DEVICE bool wait_for(Index number, const ReduceForward& s) const {
    if (s.counter != none && !wait(number, [&] { return has_counted(s.counter, usize(s.contributions)); }))
      return false;
    return wait_for_all(number, s.signal, [&](Index i) { return has_come(program_.signal[i]); });
  }
  // Waits for one incoming message, or for room at the destination of an outgoing one, if any.
  TRISWEEP_DEVICE bool wait_for_message(Index number, Index signal, Index put) const {
    if (signal != none) return wait(number, [&] { return has_come(signal); });
    return put == none || wait(number, [&] { return has_room(program_.put[put].pe); });
  }
  TRISWEEP_DEVICE bool wait_for_room(Index number, Range put) const {
    return wait_for_all(number, put, [&](Index i) { return has_room(program_.put[i].pe); });
  }

  TRISWEEP_DEVICE bool has_finished(Count items) const {
    return has_reached<Scope::device>(&control().finished, items);
  }
  TRISWEEP_DEVICE bool has_counted(Index counter, Count in_a_solve) const {
    return has_reached<Scope::device>(&pe_.counter[counter], pe_.solve.number * in_a_solve);
  }
  TRISWEEP_DEVICE bool has_come(Index signal) const {
    return pe_.peers.has_message(signal, pe_.solve.number);
  }
  // True if a PE has finished the previous solve, and no longer needs the contents of its message slots.
  TRISWEEP_DEVICE bool has_room(Index pe) const {
    return pe_.peers.has_come(pe_.messages + pe, pe_.solve.number - 1);
  }

  // Each lane waits for different entries of the list; either all lanes leave or none.
  template <class Ready>
  TRISWEEP_DEVICE bool wait_for_all(Index number, Range list, const Ready& ready) const {
    bool all = true;
    for (Index i = list.begin + block_.lane; i < list.end && all; i += block_.lanes)
      all = lane_waits(number, [&] { return ready(i); });
    return block_.on_all_lanes(all);
  }
  template <class Ready>
  TRISWEEP_DEVICE bool wait(Index number, const Ready& ready) const {
    return wait_for_all(number, {0, 1}, [&](Index) { return ready(); });
  }
  template <class Ready>
  TRISWEEP_DEVICE bool lane_waits(Index number, const Ready& ready) const {
    if (ready()) return true;
    Waiting waiting(&control().finished, pe_.solve.watchdog);
    while (!ready()) {
      block_.idle();
      if (!waiting.looks_around()) continue;
      if (pe_.peers.failed()) return false;
      if (waiting.is_too_long()) {
        give_up(number);
        return false;
      }
    }
    return true;
  }
  TRISWEEP_DEVICE void give_up(Index number) const {
    store_release<Scope::system>(&control().stalled, 1 + usize(number));
    pe_.peers.fail();
  }

  // Loads the read-only data of an item into the cache while the item waits.
  TRISWEEP_DEVICE void prefetch(const Item& item, Index share, Index shares) const {
    if constexpr (backend::prefetches && std::is_pointer_v<Side>) {
      if (item.action != Action::product) return;
      const Product& p = program_.product[item.at];
      for (Index i = p.row_block.begin + share; i < p.row_block.end; i += shares) {
        const RowBlock& r = program_.row_block[i];
        const auto first = usize(r.row_begin / slab_rows * slab_rows) * usize(r.width);
        prefetch(pe_.panels[p.side] + usize(r.value) + first, usize(r.row_end) * usize(r.width) - first);
        if (p.multiply == Multiply::scatter || p.multiply == Multiply::gather)
          prefetch(pe_.work.position + r.position, usize(r.row_end - r.row_begin));
      }
    }
  }
  template <class V>
  TRISWEEP_DEVICE void prefetch(const V* values, std::size_t count) const {
    constexpr std::size_t line = 128 / sizeof(V);
    for (std::size_t i = usize(block_.lane) * line; i < count; i += usize(block_.lanes) * line)
      backend::prefetch(values + i);
  }

  // Runs an item whose inputs are available.
  TRISWEEP_DEVICE_INLINE void complete(Index number) const {
    const Item& item = program_.item[number];
    block_.begin(number);
    if (item.opens != none && block_.leads()) pe_.time[item.opens] = now();
    run(item);
    block_.publish();
    say_ended(item);
  }

  TRISWEEP_DEVICE void run(const Item& item) const {
    switch (item.action) {
      case Action::product:
        return run(program_.product[item.at]);
      case Action::transfer:
        return run(program_.transfer[item.at]);
      case Action::vectors:
        return run(program_.vector_move[item.at]);
      case Action::clear:
        for (Index i = item.at; i < item.end; ++i) clear(program_.run[i]);
        return;
      case Action::negate:
        for (Index i = item.at; i < item.end; ++i) negate(program_.negation[i]);
        return;
      case Action::measure:
        if constexpr (std::is_same_v<Side, NoPanels>)
          RowResiduals<Pe<Side, T, Peers>, Block>(pe_, program_.measure[item.at], nrhs(), block_).run();
        return;
      case Action::reduce_forward:  // reduce_complete() does
      case Action::close:
        return;
    }
  }

  TRISWEEP_DEVICE void run(const Product& p) const {
    clear({p.cell.begin, p.cell.end - p.cell.begin});
    for (Index i = p.row_block.begin; i < p.row_block.end; ++i) {
      block_.sync();
      const RowBlock& row_block = program_.row_block[i];
      visit_panel(pe_.panels[p.side], row_block, [&]<class S>(const S* panel) {
        device::multiply(p.multiply, Operands<S, T, columns>{panel, row_block, pe_.work, p.conjugate},
                         block_);
      });
    }
  }
  TRISWEEP_DEVICE void run(const ReduceForward& s) const {
    T* const to = row(s.row);
    const std::size_t size = entry(s.width);
    if (s.taken_from != none || s.cell.begin < s.cell.end) {
      const T* const from = row(s.taken_from != none ? s.taken_from : s.row);
      for_each(block_, size, [&](std::size_t i) {
        T sum = from[i];
        constexpr int at_once = 64 / sizeof(T);
        for (Index c = s.cell.begin; c < s.cell.end; c += at_once) {
          T more[at_once];
          TRISWEEP_UNROLL
          for (int k = 0; k < at_once; ++k) more[k] = c + k < s.cell.end ? row(program_.cell[c + k])[i] : T{};
          TRISWEEP_UNROLL
          for (int k = 0; k < at_once && (backend::unrolls || c + k < s.cell.end);
               ++k) {  // added zeros change nothing
            if (!s.largest) {
              sum += more[k];
            } else if (real_part(more[k]) > real_part(sum)) {
              sum = more[k];
            }
          }
        }
        to[i] = sum;
      });
      block_.sync();
    }
    for (Index i = s.put.begin; i < s.put.end; ++i)
      pe_.peers.put(block_, program_.put[i].pe, entry(program_.put[i].row), to, size);
  }

  TRISWEEP_DEVICE void run(const Transfer& t) const {
    std::size_t packed = 0;
    for (Index i = t.run.begin; i < t.run.end; ++i) {
      const RowRun& of = program_.run[i];
      T* const here = row(of.row);
      const std::size_t size = entry(of.rows);
      if (t.put != none) {
        const Put& put = program_.put[t.put];
        pe_.peers.put(block_, put.pe, entry(put.row) + packed, here, size);
      } else {
        T* const message = row(t.row) + packed;
        for_each(block_, size, [&](std::size_t e) {
          if (!t.comes) {
            message[e] = here[e];
          } else if (t.adds) {
            here[e] += message[e];
          } else {
            here[e] = message[e];
          }
        });
      }
      packed += size;
    }
  }

  // Neighbouring threads take neighbouring rows of one of the caller's columns.
  TRISWEEP_DEVICE void run(const VectorMove& m) const {
    const CallersRows<T>& caller = pe_.solve.caller;
    const Index rows = m.moved.end - m.moved.begin;
    T* const message = m.row != none ? row(m.row) : pe_.work.scratch;
    for_each(block_, entry(rows), [&](std::size_t e) {
      const Index i = static_cast<Index>(e) % rows, column = static_cast<Index>(e) / rows;
      const MovedRow& at = program_.moved[m.moved.begin + i];
      T* const packed = message + entry(i);
      T* const work = at.work != none ? row(at.work) : packed;
      if (at.caller == none) {
        (m.in ? work : packed)[column] = (m.in ? packed : work)[column];
      } else if (m.in) {
        work[column] = scaled(caller.b[at.caller + column * caller.b_ld], caller.b_scale, at.caller);
      } else {
        T x = scaled(work[column], caller.x_scale, at.caller);
        if (caller.base != nullptr) x += caller.base[at.caller + column * caller.base_ld];
        caller.x[at.caller + column * caller.x_ld] = x;
      }
    });
    if (m.put == none) return;
    block_.sync();
    const Put& put = program_.put[m.put];
    pe_.peers.put(block_, put.pe, entry(put.row), pe_.work.scratch, entry(rows));
  }

  TRISWEEP_DEVICE void clear(const RowRun& of) const {
    T* const here = row(of.row);
    for_each(block_, entry(of.rows), [&](std::size_t i) { here[i] = T{}; });
  }
  TRISWEEP_DEVICE void negate(const Negation& n) const {
    T* const here = row(n.row);
    const T* const from = row(n.from);
    for_each(block_, entry(n.rows), [&](std::size_t i) { here[i] = negative(from[i]); });
  }

  // Called after a barrier: signals what others wait for. Each signalling thread issues a fence of its own
  // after the last barrier.
  TRISWEEP_DEVICE_INLINE void say_ended(const Item& item) const {
    reduce_complete(item);
    if (!block_.leads()) return;
    say_sent(item);
    release_fence<Scope::device>();
    const Count before = add_fenced<Scope::device>(&control().finished, 1);
    if (before + 1 == pe_.solve.number * usize(program_.item.size)) pe_.time[pe_.phases] = now();
  }
  TRISWEEP_DEVICE void say_sent(const Item& item) const {
    const Range put = puts_of(item);
    const bool closes = item.action == Action::close;
    if (put.begin == put.end && !closes) return;
    pe_.peers.fence();
    for (Index i = put.begin; i < put.end; ++i) signal(program_.put[i]);
    if (!closes) return;
    for (Index i = 0; i < program_.source.size; ++i) signal(program_.source[i]);
  }
  // Reduces and forwards the segment of the item, or the segments that receive their last contribution from
  // its product.
  TRISWEEP_DEVICE_INLINE void reduce_complete(const Item& item) const {
    const bool is_sum = item.action == Action::reduce_forward, is_product = item.action == Action::product;
    const Range feed = is_product ? program_.product[item.at].feed : Range{0, is_sum ? 1 : 0};
    for (Index first = feed.begin; first < feed.end; first += block_.lanes) {
      unsigned complete = is_sum ? 1 : count_contributions({first, feed.end});
      for (Index i = first; complete != 0; complete >>= 1, ++i)
        if ((complete & 1) != 0)
          reduce(Count(is_sum ? item.at : program_.completion[program_.feed[i]].reduce_forward));
    }
  }
  // Counts contributions to as many segments as a group has lanes. Returns the segments that are complete, as
  // bits.
  TRISWEEP_DEVICE_INLINE unsigned count_contributions(Range feed) const {
    return block_.lanes_of_group([&] {
      if (feed.begin + block_.lane >= feed.end) return false;
      release_fence<Scope::device>();
      return completes(program_.feed[feed.begin + block_.lane]);
    });
  }
  // Reduces a segment, and then those that become complete by it, in turn.
  TRISWEEP_DEVICE_INLINE void reduce(Count complete) const {
    while (complete != no_item) {
      const ReduceForward& s = program_.reduce_forward[static_cast<Index>(complete)];
      run(s);
      block_.publish();
      complete = say_reduced(s);
    }
  }
  // Returns the reduction of the segment that becomes complete by this one, or no_item.
  TRISWEEP_DEVICE_INLINE Count say_reduced(const ReduceForward& s) const {
    return block_.find([&] {
      release_fence<Scope::device>();
      if (s.available != none) count(s.available);
      const bool goes_on = s.next != none && completes(s.next);
      return goes_on ? Count(program_.completion[s.next].reduce_forward) : no_item;
    });
  }
  // Counts a contribution. Returns true if it is the last one and this worker must reduce the segment.
  TRISWEEP_DEVICE bool completes(Index counter) const {
    const Completion& completion = program_.completion[counter];
    const Count all = pe_.solve.number * usize(completion.contributions);
    return count(counter) + 1 == all && completion.reduce_forward != none &&
           load_acquire<Scope::device>(&pe_.counter[counter]) >= all;
  }
  TRISWEEP_DEVICE Range puts_of(const Item& item) const {
    if (item.action == Action::reduce_forward) return program_.reduce_forward[item.at].put;
    Index put = none;
    if (item.action == Action::transfer) put = program_.transfer[item.at].put;
    if (item.action == Action::vectors) put = program_.vector_move[item.at].put;
    return put == none ? Range{} : Range{put, put + 1};
  }
  TRISWEEP_DEVICE Count count(Index counter) const {
    return add_fenced<Scope::device>(&pe_.counter[counter], 1);
  }
  TRISWEEP_DEVICE void signal(const Put& to) const { pe_.peers.signal(to.pe, to.signal, pe_.solve.number); }

  const Pe<Side, T, Peers>& pe_;
  const ProgramView& program_;
  const Block& block_;
};

// Limited by the size of a kernel's arguments.
inline constexpr int most_pes_of_device = 48;

// The callers' rows, by PE of the device.
template <class T>
struct AllCallers {
  CallersRows<T> of[most_pes_of_device];
};

// A launch on the PEs of a device; each worker's copy of its PE gets the solve.
template <class Side, class T, class Peers>
struct PeLaunch {
  const Pe<Side, T, Peers>* pes;
  int count;
  Solve<T> solve;
  AllCallers<T> callers;

  // A PE as one of its workers, which is a block, sees it.
  template <class Block>
  TRISWEEP_DEVICE_INLINE decltype(auto) pe_of(const Block& block, int p, int worker) const {
    const auto set = [&](Pe<Side, T, Peers>& pe) {
      pe.work.scratch += usize(worker) * pe.scratch_size;
      pe.work.nrhs = solve.nrhs;
      pe.solve = solve;
      pe.solve.caller = callers.of[p];
    };
    return block.share(pes[p], set);
  }
  void fail() const { pes[0].peers.fail(); }
};

// Blocks are assigned to PEs in turn, so that each PE has some on every part of the device.
template <class Side, class T, class Peers, int columns>
struct RunWorkers : PeLaunch<Side, T, Peers> {
  // A quarter of a multiprocessor's threads: simultaneous loads take that many registers per thread.
  static constexpr int threads = threads_of_block, blocks_of_processor = 2;
  static constexpr bool is_persistent = true, puts_to_heap = std::is_same_v<Peers, HeapPeers<T>>;

  template <class Block>
  TRISWEEP_DEVICE_INLINE void operator()(const Block& block) const {
    const auto& pe = this->pe_of(block, block.number % this->count, block.number / this->count);
    Worker<Side, T, Peers, columns, Block>(pe, block).run();
  }
};

// A block takes the messages of its PE as they arrive; each thread checks a share of them (SC'23, Algorithm
// 5: WAIT).
template <class Side, class T, class Peers>
struct TakeMessages : PeLaunch<Side, T, TakenMessages<Peers>> {
  static constexpr int threads = threads_of_block, blocks_of_processor = 2;
  static constexpr bool is_persistent = true, puts_to_heap = std::is_same_v<Peers, HeapPeers<T>>;

  template <class Block>
  TRISWEEP_DEVICE_INLINE void operator()(const Block& block) const {
    const auto& pe = this->pe_of(block, block.number, 0);
    // The items that wait for a message detect timeouts.
    while (!take(block, pe) && !pe.peers.failed()) block.idle();
  }

 private:
  // True if all messages of this thread's share have arrived.
  template <class Block>
  TRISWEEP_DEVICE static bool take(const Block& block, const Pe<Side, T, TakenMessages<Peers>>& pe) {
    const Peers& peers = pe.peers;
    const Count solve = pe.solve.number;
    bool all = true;
    for_each(block, usize(pe.messages), [&](std::size_t i) {
      if (load_relaxed<Scope::device>(&pe.peers.taken[i]) == solve) return;
      if (peers.has_come(static_cast<Index>(i), solve)) {
        store_release<Scope::device>(&pe.peers.taken[i], solve);
      } else {
        all = false;
      }
    });
    return all;
  }
};

// One block per item (Scheduling::block_for_each; Algorithms 4 and 5: SOLVE), while a concurrent kernel takes
// messages.
template <class Side, class T, class Peers>
struct RunItems : PeLaunch<Side, T, TakenMessages<Peers>> {
  using Beside = TakeMessages<Side, T, Peers>;
  static constexpr int threads = threads_of_block, blocks_of_processor = 2;
  static constexpr bool is_persistent = false, puts_to_heap = std::is_same_v<Peers, HeapPeers<T>>;

  template <class Block>
  TRISWEEP_DEVICE_INLINE void operator()(const Block& block) const {
    const Index item = block.number / this->count;
    const auto& pe = this->pe_of(block, block.number % this->count, item);
    Worker<Side, T, TakenMessages<Peers>, widest_tile, Block>(pe, block).run_only(item);
  }
};

}  // namespace trisweep::device
