#pragma once
// A message that shows by itself when all of it has come, so that it can be written into another rank's
// memory by one put, without a flush, in whatever order and pieces its bytes arrive there.
//
// In words of 8 bytes: a name, which says in which solve it is sent and how long it is; a check; the data,
// each word masked by a number that the name and its place make up. So a word that lies there from an earlier
// solve differs from the new one even where the data are the same, and a check that is right, the sum of all
// words, says that the whole message has come and nothing of it is still on its way when the place is written
// again. By chance it is right once in 2^64 looks at half a message.

#include <cstdint>
#include <cstring>

#include "trisweep/core/masked_words.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::mpi {

class CheckedMessage {
 public:
  static constexpr std::size_t head_words = 2;
  static constexpr std::size_t head_bytes = head_words * sizeof(std::uint64_t);
  static constexpr std::size_t words(std::size_t bytes) {
    return head_words + (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  }

  CheckedMessage(Offset solve, std::size_t bytes)
      : CheckedMessage((static_cast<std::uint64_t>(solve + 1) << size_bits) | bytes) {}
  // Of one that begins with this word. What there is before the first message, zeros, is no solve's.
  explicit CheckedMessage(std::uint64_t name) : name_(name), mask_(split_mix(name)) {}

  bool is_of(Offset solve) const { return name_ >> size_bits == CheckedMessage(solve, 0).name_ >> size_bits; }
  std::size_t bytes() const { return name_ & ((std::uint64_t{1} << size_bits) - 1); }

  void pack(const void* data, std::uint64_t* message) const {
    std::uint64_t sum = masking::mask_words(data, whole_words(), mask_, message + head_words);
    if (rest() > 0) {
      std::uint64_t last = 0;
      std::memcpy(&last, static_cast<const std::byte*>(data) + whole_words() * sizeof last, rest());
      last ^= mask_ + whole_words();
      message[head_words + whole_words()] = last;
      sum += masking::summand(last);
    }
    message[0] = name_;
    message[1] = sum + mask_;
  }
  bool is_complete(const std::uint64_t* message) const {
    return message[1] == masking::sum_words(message + head_words, words(bytes()) - head_words) + mask_;
  }
  // Of one that is complete.
  void unpack(const std::uint64_t* message, void* data) const {
    masking::unmask_words(message + head_words, whole_words(), mask_, data);
    if (rest() == 0) return;
    const std::uint64_t last = message[head_words + whole_words()] ^ (mask_ + whole_words());
    std::memcpy(static_cast<std::byte*>(data) + whole_words() * sizeof last, &last, rest());
  }

 private:
  static constexpr int size_bits = 40;  // of a name: the rest is of the solve

  std::size_t whole_words() const { return bytes() / sizeof(std::uint64_t); }
  std::size_t rest() const { return bytes() % sizeof(std::uint64_t); }

  std::uint64_t name_;
  std::uint64_t mask_;
};

}  // namespace trisweep::mpi
