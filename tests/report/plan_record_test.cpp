#include "trisweep/report/plan_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace trisweep::report {
namespace {

// Two ranks, of which the first sends the second a message of each of two kinds.
PlanReport example(bool moves_vectors) {
  PlanReport report{.matrix = {.name = "a.mtx", .rows = 10, .nonzeros = 30},
                    .kind = "lu",
                    .supernodes = 2,
                    .plan = {.px = 2},
                    .workload = {.nrhs = 3},
                    .traffic = {.rank = std::vector<plan::RankTraffic>(2)},
                    .stored_values = {20, 30}};
  const auto send = [&](plan::MessageKind kind, Offset rows) {
    report.traffic.rank[0].of(kind).sent += {1, rows};
    report.traffic.rank[1].of(kind).received += {1, rows};
  };
  send(plan::MessageKind::broadcast, 5);
  if (moves_vectors) send(plan::MessageKind::vectors, 7);
  return report;
}

TEST(PlanRecord, HasVectorsWhereTheyAreMoved) {
  const auto home = nlohmann::json::parse(to_json(example(false)));
  EXPECT_FALSE(home["totals"].contains("vectors"));
  EXPECT_FALSE(home["ranks"][0].contains("vectors"));
  auto away = nlohmann::json::parse(to_json(example(true)));
  EXPECT_EQ(away["totals"]["vectors"], nlohmann::json({{"messages", 1}, {"bytes", 7 * 3 * 8}}));
  EXPECT_EQ(away["ranks"][1]["vectors"],
            nlohmann::json({{"sent", 0}, {"bytes_sent", 0}, {"received", 1}, {"bytes_received", 7 * 3 * 8}}));
  EXPECT_NE(summary(example(true)).find("vectors"), std::string::npos);
  away["totals"].erase("vectors");
  for (auto& rank : away["ranks"]) rank.erase("vectors");
  EXPECT_EQ(away, home);
}

}  // namespace
}  // namespace trisweep::report
