// Ranks as threads of one process: under the thread sanitizer, which sees every access to the shared memory,
// and by the checker of memory orders, which plays the values that another processor might read.

#include "trisweep/mpi/slot_words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "support/memory_model.hpp"

namespace trisweep::mpi {
namespace {

namespace model = testing_support::model;

struct OnThreads {
  static constexpr std::size_t ranks = 4;
  static constexpr std::uint64_t solves = 300;
  using Value = std::uint64_t;
  using Memory = std::uint64_t;
  using Word = SharedWord;
  static void pause() { std::this_thread::yield(); }
};

struct OnModel {
  static constexpr std::size_t ranks = 3;
  static constexpr std::uint64_t solves = 4;
  using Value = model::Plain<std::uint64_t>;
  using Memory = model::Atomic<std::uint64_t>;
  using Word = model::AtomicRef<std::uint64_t>;
  static void pause() {}
};

// As SharedMemory has it: slots for even and odd solves. In each solve every rank has a message for all that
// follow it: no message goes back, so that the counts of solves alone say what may be written again.
template <class On>
struct Memory {
  struct Slot {
    typename On::Value next = 0;
    typename On::Value data = 0;
  };
  std::array<typename On::Memory, 2> head{};
  typename On::Memory closed = 0;
  std::array<std::array<Slot, On::ranks>, 2> slot{};  // by sender
};

template <class On>
class Rank {
  using Word = typename On::Word;
  using List = ArrivalList<Word>;
  using Count = ProgressCount<Word>;
  static constexpr std::size_t ranks = On::ranks;

 public:
  Rank(std::array<Memory<On>, ranks>& memory, std::size_t rank) : memory_(memory), rank_(rank) {}

  // The messages that were not those of this solve.
  int run() {
    for (std::uint64_t solve = 0; solve < On::solves; ++solve) {
      for (std::size_t to = rank_ + 1; to < ranks; ++to) send(to, solve);
      receive_all(solve);
      close(solve);
    }
    return wrong_;
  }

 private:
  static std::uint64_t message(std::uint64_t solve, std::size_t from) { return solve * ranks + from; }

  void send(std::size_t to, std::uint64_t solve) {
    auto& slot = memory_[to].slot[solve % 2][rank_];
    slot.data = message(solve, rank_);
    List(Word(memory_[to].head[solve % 2])).append(rank_ + 1, slot.next);
  }
  void receive_all(std::uint64_t solve) {
    Memory<On>& mine = memory_[rank_];
    for (std::size_t left = rank_; left > 0;) {
      const std::uint64_t newest = List(Word(mine.head[solve % 2])).take();
      if (newest == 0) On::pause();
      for (std::uint64_t at = newest; at != 0; at = mine.slot[solve % 2][at - 1].next, --left)
        if (mine.slot[solve % 2][at - 1].data != message(solve, at - 1)) ++wrong_;
    }
  }
  void close(std::uint64_t solve) {
    for (Memory<On>& other : memory_)
      while (!Count(Word(other.closed)).reached(solve)) On::pause();
    Count(Word(memory_[rank_].closed)).set(solve + 1);
  }

  std::array<Memory<On>, ranks>& memory_;
  std::size_t rank_;
  int wrong_ = 0;
};

TEST(SlotWords, ThreadsFindEveryMessageInItsSolve) {
  constexpr std::size_t ranks = OnThreads::ranks;
  const auto memory = std::make_unique<std::array<Memory<OnThreads>, ranks>>();
  std::array<int, ranks> wrong{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { wrong[rank] = Rank<OnThreads>(*memory, rank).run(); });
  }
  EXPECT_EQ(wrong, (std::array<int, ranks>{}));
}

TEST(SlotWords, OrdersSufficeByTheModelOfMemory) {
  const auto make = [] {
    const auto memory = std::make_shared<std::array<Memory<OnModel>, OnModel::ranks>>();
    std::vector<std::function<void()>> threads;
    for (std::size_t rank = 0; rank < OnModel::ranks; ++rank)
      threads.emplace_back([memory, rank] {
        if (Rank<OnModel>(*memory, rank).run() != 0) model::Execution::current()->fail("a wrong message");
      });
    return threads;
  };
  EXPECT_EQ(model::first_defect(1000, make), "");
}

}  // namespace
}  // namespace trisweep::mpi
