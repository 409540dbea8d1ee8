#include "trisweep/report/factorization.hpp"

#include <fmt/format.h>

#include "trisweep/report/text.hpp"

namespace trisweep::report {

using model::FactoringRank;

nlohmann::ordered_json to_json_object(const model::FactorizationPrice& p) {
  return {{"seconds", p.seconds()},
          {"compute_seconds_max", p.largest(&FactoringRank::compute_seconds)},
          {"message_seconds_max", p.largest(&FactoringRank::message_seconds)},
          {"flops_max", p.largest(&FactoringRank::flops)},
          {"messages", p.sum(&FactoringRank::messages)},
          {"message_bytes", p.sum(&FactoringRank::bytes)},
          {"panel_bytes_max", p.largest(&FactoringRank::panel_bytes)},
          {"common_bytes", p.common_bytes},
          {"memory_bytes_max", p.memory_bytes()}};
}

std::string factorization_in_words(const model::FactorizationPrice& p) {
  return fmt::format(
      "{} predicted: at most {} of computing on a rank, and {} in messages ({} of {} in all); {} of memory "
      "on "
      "the fullest rank, {} of it on every one",
      duration(p.seconds()), duration(p.largest(&FactoringRank::compute_seconds)),
      duration(p.largest(&FactoringRank::message_seconds)), p.sum(&FactoringRank::messages),
      bytes(double(p.sum(&FactoringRank::bytes))), bytes(double(p.memory_bytes())),
      bytes(double(p.common_bytes)));
}

}  // namespace trisweep::report
