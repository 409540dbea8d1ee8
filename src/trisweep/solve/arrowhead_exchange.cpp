#include "trisweep/solve/arrowhead_exchange.hpp"

#include <algorithm>
#include <complex>

#include "trisweep/distribution/front_owners.hpp"

namespace trisweep::solve {
namespace {

using numeric::Segment;

constexpr std::size_t entries_at_once = usize(distribution::entries_at_once);

// Entries between two ranks, so many in a message.
template <Scalar T>
class Stream {
 public:
  Stream(const mpi::Communicator& comm, Index other, std::size_t entries)
      : comm_(comm),
        other_(other),
        left_(entries),
        part_(std::min(entries, entries_at_once), "what ranks add") {}

  void send(const T* values, std::size_t count) {
    for (std::size_t done = 0; done < count;) {
      const std::size_t some = std::min(count - done, part_.size() - filled_);
      std::copy_n(values + done, some, part_.data() + filled_);
      done += some;
      filled_ += some;
      if (filled_ == std::min(part_.size(), left_)) flush();
    }
  }
  // At least one of `most`.
  std::span<const T> receive(std::size_t most) {
    if (read_ == filled_) {
      filled_ = std::min(part_.size(), left_);
      left_ -= filled_;
      read_ = 0;
      comm_.receive_bytes(part_.data(), filled_ * sizeof(T), other_, mpi::Tag::fronts);
    }
    const std::size_t some = std::min(most, filled_ - read_);
    read_ += some;
    return {part_.data() + read_ - some, some};
  }

 private:
  void flush() {
    comm_.send_bytes(part_.data(), filled_ * sizeof(T), other_, mpi::Tag::fronts);
    left_ -= filled_;
    filled_ = 0;
  }

  const mpi::Communicator& comm_;
  Index other_;
  std::size_t left_;  // not sent, or not received
  Buffer<T> part_;
  std::size_t filled_ = 0, read_ = 0;
};

template <Scalar T>
class Addition {
 public:
  Addition(const mpi::Communicator& comm, numeric::Kind kind, const numeric::ArrowheadMatrix<T>& from,
           std::span<const Index> places, const numeric::ArrowheadMatrix<T>& to)
      : comm_(comm), from_(from), to_(to), sum_(from.shape, to.shape, places, kind) {}

  void between(Index source, Index target) {
    if (source == target) return add();
    std::size_t entries = 0;
    sum_.for_each_segment(source, target,
                          [&](Index, const Segment& s) { entries += usize(s.end - s.begin); });
    if (entries == 0) return;
    Stream<T> stream(comm_, source == comm_.rank() ? target : source, entries);
    if (source == comm_.rank()) {
      sum_.for_each_segment(source, target, [&](Index a, const Segment& s) {
        stream.send(sum_.source(from_.panel[usize(a)], s), usize(s.end - s.begin));
      });
    } else {
      sum_.for_each_segment(source, target, [&](Index, const Segment& s) {
        for (Index at = s.begin; at < s.end;) {
          const std::span<const T> some = stream.receive(usize(s.end - at));
          sum_.add(some, s, at, to_.panel[usize(s.arrowhead)]);
          at += static_cast<Index>(some.size());
        }
      });
    }
  }

 private:
  void add() {
    sum_.for_each_segment(comm_.rank(), comm_.rank(), [&](Index a, const Segment& s) {
      const T* values = sum_.source(from_.panel[usize(a)], s);
      sum_.add({values, usize(s.end - s.begin)}, s, s.begin, to_.panel[usize(s.arrowhead)]);
    });
  }

  const mpi::Communicator& comm_;
  const numeric::ArrowheadMatrix<T>& from_;
  const numeric::ArrowheadMatrix<T>& to_;
  numeric::ArrowheadSum sum_;
};

}  // namespace

// Pairs of ranks come in one order on all, so none waits for good; those of one shift are disjoint but for
// chains.
template <Scalar T>
void add_arrowheads(const mpi::Communicator& comm, numeric::Kind kind,
                    const numeric::ArrowheadMatrix<T>& from, std::span<const Index> places,
                    const numeric::ArrowheadMatrix<T>& to) {
  const std::vector<Index> sources = from.shape.owners(), targets = to.shape.owners();
  Addition<T> addition(comm, kind, from, places, to);
  for (std::size_t shift = 0; shift < targets.size(); ++shift) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Index source = sources[i], target = targets[(i + shift) % targets.size()];
      if (source == comm.rank() || target == comm.rank()) addition.between(source, target);
    }
  }
}

#define INSTANTIATE(T)                                                                        \
  template void add_arrowheads<T>(const mpi::Communicator&, numeric::Kind,                    \
                                  const numeric::ArrowheadMatrix<T>&, std::span<const Index>, \
                                  const numeric::ArrowheadMatrix<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
