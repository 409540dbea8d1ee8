#include "trisweep/solve/arrowhead_exchange.hpp"

#include <algorithm>
#include <complex>

#include "trisweep/distribution/front_owners.hpp"

namespace trisweep::solve {
namespace {

using numeric::Segment;

constexpr std::size_t entries_at_once = usize(distribution::entries_at_once);

// A stream of entries between two ranks, in messages of at most entries_at_once.
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
  // Returns the next entries: at least one and at most `most`.
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
  std::size_t left_;  // entries not yet sent or received
  Buffer<T> part_;
  std::size_t filled_ = 0, read_ = 0;
};

template <Scalar T>
class Additions {
 public:
  Additions(const mpi::Communicator& comm, numeric::Kind kind,
            std::span<const ArrowheadAddition<T>> additions)
      : comm_(comm), additions_(additions) {
    sum_.reserve(additions.size());
    for (const ArrowheadAddition<T>& add : additions)
      sum_.emplace_back(add.from.shape, add.to.shape, add.places, kind);
  }

  void between(Index source, Index target) {
    if (source == target) return add();
    std::size_t entries = 0;
    for_each_segment(source, target,
                     [&](std::size_t, Index, const Segment& s) { entries += usize(s.end - s.begin); });
    if (entries == 0) return;
    Stream<T> stream(comm_, source == comm_.rank() ? target : source, entries);
    if (source == comm_.rank()) {
      for_each_segment(source, target, [&](std::size_t i, Index a, const Segment& s) {
        stream.send(sum_[i].source(additions_[i].from.panel[usize(a)], s), usize(s.end - s.begin));
      });
    } else {
      for_each_segment(source, target, [&](std::size_t i, Index, const Segment& s) {
        for (Index at = s.begin; at < s.end;) {
          const std::span<const T> some = stream.receive(usize(s.end - at));
          sum_[i].add(some, s, at, additions_[i].to.panel[usize(s.arrowhead)]);
          at += static_cast<Index>(some.size());
        }
      });
    }
  }

 private:
  // Calls visit(i, arrowhead, segment) for the segments of addition 0, 1, ....
  template <class Visit>
  void for_each_segment(Index source, Index target, const Visit& visit) const {
    for (std::size_t i = 0; i < sum_.size(); ++i)
      sum_[i].for_each_segment(source, target, [&](Index a, const Segment& s) { visit(i, a, s); });
  }

  void add() {
    for_each_segment(comm_.rank(), comm_.rank(), [&](std::size_t i, Index a, const Segment& s) {
      const T* values = sum_[i].source(additions_[i].from.panel[usize(a)], s);
      sum_[i].add({values, usize(s.end - s.begin)}, s, s.begin, additions_[i].to.panel[usize(s.arrowhead)]);
    });
  }

  const mpi::Communicator& comm_;
  std::span<const ArrowheadAddition<T>> additions_;
  std::vector<numeric::ArrowheadSum> sum_;
};

}  // namespace

// All ranks visit pairs of ranks in the same order, so there is no deadlock. The pairs of one shift form
// disjoint pairs or chains.
template <Scalar T>
void add_arrowheads(const mpi::Communicator& comm, numeric::Kind kind,
                    std::span<const ArrowheadAddition<T>> additions) {
  std::vector<Index> sources, targets;
  for (const ArrowheadAddition<T>& add : additions) {
    std::ranges::copy(add.from.shape.owner, std::back_inserter(sources));
    std::ranges::copy(add.to.shape.owner, std::back_inserter(targets));
  }
  sources = numeric::distinct(std::move(sources));
  targets = numeric::distinct(std::move(targets));
  Additions<T> all(comm, kind, additions);
  for (std::size_t shift = 0; shift < targets.size(); ++shift) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Index source = sources[i], target = targets[(i + shift) % targets.size()];
      if (source == comm.rank() || target == comm.rank()) all.between(source, target);
    }
  }
}

#define INSTANTIATE(T)                                                     \
  template void add_arrowheads<T>(const mpi::Communicator&, numeric::Kind, \
                                  std::span<const ArrowheadAddition<T>>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
