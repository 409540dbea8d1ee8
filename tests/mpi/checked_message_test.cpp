#include "trisweep/mpi/checked_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "support/memory_model.hpp"

namespace trisweep::mpi {
namespace {

namespace model = testing_support::model;
using Words = std::vector<std::uint64_t>;

Words packed(Offset solve, const std::vector<float>& data) {
  const CheckedMessage message(solve, data.size() * sizeof(float));
  Words words(CheckedMessage::words(message.bytes()));
  message.pack(data.data(), words.data());
  return words;
}
bool has_come(const Words& slot, Offset solve) {
  const CheckedMessage message(slot[0]);
  return message.is_of(solve) && CheckedMessage::words(message.bytes()) <= slot.size() &&
         message.is_complete(slot.data());
}

TEST(CheckedMessage, GivesBackWhatWasPacked) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<float> data(size), got(size);
    std::iota(data.begin(), data.end(), 1.0F);
    const Words words = packed(7, data);
    ASSERT_TRUE(has_come(words, 7)) << size;
    EXPECT_FALSE(has_come(words, 6)) << size;
    CheckedMessage(words[0]).unpack(words.data(), got.data());
    EXPECT_EQ(got, data);
  }
}

TEST(CheckedMessage, IsOfNoSolveBeforeTheFirst) {
  for (const Offset solve : {0, 1, 2}) EXPECT_FALSE(has_come(Words(3), solve));
}

// Bytes come in any order, as from a stream that ends within a word. The message before in this place differs
// in the signs alone, in nothing, or wholly.
TEST(CheckedMessage, IsCompleteWithItsLastByteAlone) {
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    const std::size_t size = 1 + random() % 30;
    std::vector<float> before(size), data(size);
    for (std::size_t i = 0; i < size; ++i) {
      data[i] = static_cast<float>(random() % 5);
      before[i] = run % 3 == 0 ? -data[i] : run % 3 == 1 ? data[i] : static_cast<float>(random());
    }
    Words slot = packed(run, before);
    const Words sent = packed(run + 2, data);
    std::vector<std::size_t> order;  // of the bytes that come to anything
    for (std::size_t i = 0; i < slot.size() * 8; ++i)
      if (reinterpret_cast<const std::byte*>(slot.data())[i] !=
          reinterpret_cast<const std::byte*>(sent.data())[i])
        order.push_back(i);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      ASSERT_FALSE(has_come(slot, run + 2)) << run;
      reinterpret_cast<std::byte*>(slot.data())[i] = reinterpret_cast<const std::byte*>(sent.data())[i];
    }
    ASSERT_TRUE(has_come(slot, run + 2));
  }
}

// A word of the solve before is never right by itself, so that who has the message has all of it.
TEST(CheckedMessage, TheSameDataHaveOtherWordsInEachSolve) {
  const std::vector<float> data(20, 1.0F);
  const Words one = packed(4, data), other = packed(6, data);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i], other[i]);
}

// A sender's stores are seen in any order, and no order of memory is asked for.
TEST(CheckedMessage, NeedsNoOrderOfMemory) {
  constexpr std::size_t size = 4;
  struct Shared {
    std::array<model::Atomic<std::uint64_t>, size> slot;
  };
  const auto send = [](Shared& shared, Offset solve) {
    const Words words = packed(solve, {1.0F, 2.0F, static_cast<float>(solve), 4.0F});
    const std::size_t first = model::Execution::current()->choose(size);
    for (std::size_t i = 0; i < size; ++i)
      shared.slot[(first + i) % size].store(words[(first + i) % size], std::memory_order_relaxed);
  };
  const auto receive = [](Shared& shared, Offset solve) {
    const auto look = [&] {
      Words words(size);
      for (std::size_t i = 0; i < size; ++i) words[i] = shared.slot[i].load(std::memory_order_relaxed);
      return words;
    };
    while (!has_come(look(), solve)) {
    }
    const Words words = look();
    std::array<float, 4> data{};
    CheckedMessage(words[0]).unpack(words.data(), data.data());
    if (data[2] != static_cast<float>(solve))
      model::Execution::current()->fail("a message is taken before it is there");
  };
  const auto make = [&] {
    const auto shared = std::make_shared<Shared>();
    return std::vector<std::function<void()>>{[shared, send] {
                                                send(*shared, 0);
                                                send(*shared, 2);
                                              },
                                              [shared, receive] { receive(*shared, 2); }};
  };
  EXPECT_EQ(model::first_defect(1000, make), "");
}

}  // namespace
}  // namespace trisweep::mpi
