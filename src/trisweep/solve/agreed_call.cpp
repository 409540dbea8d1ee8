#include "trisweep/solve/agreed_call.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/solve/usable_options.hpp"

namespace trisweep::solve {
namespace {

// Hash of a call, without allocation, since every solve begins with it.
std::uint64_t hash_of(const Call& call) {
  std::uint64_t hash = 0;
  const auto append = [&hash](std::uint64_t word) { hash = split_mix(hash ^ word); };
  for (const char c : std::string_view(call.name)) append(static_cast<unsigned char>(c));
  append(static_cast<unsigned char>(call.op));
  append(static_cast<std::uint64_t>(call.nrhs));
  for_each_field(call.refinement,
                 [&](const char*, auto value) { append(std::bit_cast<std::uint64_t>(double(value))); });
  return hash;
}

}  // namespace

bool agree_on_call(const mpi::Communicator& comm, const Call& call, const mpi::Failure& given, bool wish) {
  static const mpi::Failure unknown_op(
      ErrorKind::usage, "there is no such op\n  remedy: choose none, transpose or conjugate_transpose");
  const mpi::Failure& refusal = is_op(call.op) ? given : unknown_op;
  const std::uint64_t hash = hash_of(call);
  std::array<std::uint64_t, 4> most{refusal.failed, wish, hash, ~hash};
  comm.max(most);
  const auto [refused, wished, largest, smallest] = most;
  if (refused != 0) mpi::throw_first_failure(comm, refusal);
  if (largest != ~smallest) {
    const char op = static_cast<char>(call.op);
    mpi::require_same(comm, mpi::agree_on_error(comm, [&] {
                        return std::array<mpi::Setting, 4>{{{"call", call.name},
                                                            {"op", std::string_view(&op, 1)},
                                                            {"nrhs", fmt::format("{}", call.nrhs)},
                                                            {"refinement", name_of(call.refinement)}}};
                      }));
  }
  return wished != 0;
}

}  // namespace trisweep::solve
