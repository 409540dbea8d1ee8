#pragma once
// A message from which its receiver can tell that it has arrived completely. So one put, without a flush, can
// write it into another rank's memory, in whatever order and pieces its bytes arrive there.
//
// Layout, in words of 8 bytes: a name, which encodes the solve and the length of the message; a checksum; the
// data, each word masked by a number derived from the name and the word's position. A word left there by an
// earlier solve therefore differs from the new one even where the data are equal. A correct checksum, the sum
// of all words, shows that the whole message has arrived, so that no part of it is still in flight when the
// place is written again. For half a message the checksum is correct by chance once in 2^64 polls.

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
  // The message that begins with the word `name`. Zero, the word before the first message, belongs to no
  // solve.
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
  // Requires is_complete().
  void unpack(const std::uint64_t* message, void* data) const {
    masking::unmask_words(message + head_words, whole_words(), mask_, data);
    if (rest() == 0) return;
    const std::uint64_t last = message[head_words + whole_words()] ^ (mask_ + whole_words());
    std::memcpy(static_cast<std::byte*>(data) + whole_words() * sizeof last, &last, rest());
  }

 private:
  static constexpr int size_bits = 40;  // bits of the name for the length; the other bits: the solve

  std::size_t whole_words() const { return bytes() / sizeof(std::uint64_t); }
  std::size_t rest() const { return bytes() % sizeof(std::uint64_t); }

  std::uint64_t name_;
  std::uint64_t mask_;
};

}  // namespace trisweep::mpi
