#include "trisweep/report/plan_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/report/json.hpp"
#include "trisweep/report/text.hpp"

namespace trisweep::report {
namespace {

using nlohmann::ordered_json;
using plan::MessageKind;
using plan::RankTraffic;
using plan::sweep_kinds;
using plan::Volume;

// The total volume sent, which equals the total received.
Volume sent(const PlanReport& r, MessageKind kind) {
  Volume sum;
  for (const RankTraffic& rank : r.traffic.rank) sum += rank.of(kind).sent;
  return sum;
}

// False if the vectors are at home.
bool moves_vectors(const PlanReport& r) {
  return sent(r, MessageKind::vectors).messages > 0;
}

Offset messages(const RankTraffic::Both& both) {
  return both.sent.messages + both.received.messages;
}

Index busiest_rank(const PlanReport& r) {
  const auto& ranks = r.traffic.rank;
  const auto at = std::max_element(ranks.begin(), ranks.end(),
                                   [](const auto& a, const auto& b) { return a.messages() < b.messages(); });
  return static_cast<Index>(at - ranks.begin());
}

distribution::ProcessGrid grid_of(const PlanRecord& plan) {
  return {plan.px, plan.py, plan.pz};
}

ordered_json totals(const PlanReport& r) {
  ordered_json json;
  const auto add = [&](MessageKind kind) {
    const Volume volume = sent(r, kind);
    json[std::string(name_of(kind))] = {{"messages", volume.messages}, {"bytes", r.bytes(volume)}};
    return volume;
  };
  Volume all;
  for (const MessageKind kind : sweep_kinds) all += add(kind);
  json["messages"] = all.messages;
  json["bytes"] = r.bytes(all);
  if (moves_vectors(r)) add(MessageKind::vectors);
  json["synchronizations"] = r.traffic.synchronizations;
  const Index busiest = busiest_rank(r);
  json["busiest_rank"] = busiest;
  json["busiest_messages"] = r.traffic.rank[usize(busiest)].messages();
  json["panel_bytes"] = std::accumulate(r.stored_values.begin(), r.stored_values.end(), Offset{0}) *
                        Offset(r.workload.stored_bytes);
  return json;
}

ordered_json rank_json(const PlanReport& r, Index rank) {
  const auto point = grid_of(r.plan).point(rank);
  const auto of_kind = [&](MessageKind kind) -> ordered_json {
    const auto& both = r.traffic.rank[usize(rank)].of(kind);
    return {{"sent", both.sent.messages},
            {"bytes_sent", r.bytes(both.sent)},
            {"received", both.received.messages},
            {"bytes_received", r.bytes(both.received)}};
  };
  ordered_json messages;
  for (const MessageKind kind : sweep_kinds) messages[std::string(name_of(kind))] = of_kind(kind);
  ordered_json json{{"rank", rank}, {"x", point.x}, {"y", point.y}, {"z", point.z}, {"messages", messages}};
  if (moves_vectors(r)) json["vectors"] = of_kind(MessageKind::vectors);
  json["panel_bytes"] = r.stored_values[usize(rank)] * Offset(r.workload.stored_bytes);
  return json;
}

// Messages of one kind, or of all kinds: in total, on the busiest rank, and on average, sent and received
// together.
template <class MessagesOf>
std::string load(const PlanReport& r, Volume all, MessagesOf&& messages_of) {
  Offset most = 0, sum = 0;
  for (const RankTraffic& rank : r.traffic.rank) {
    most = std::max(most, messages_of(rank));
    sum += messages_of(rank);
  }
  return fmt::format("{}, {}; busiest rank {}, mean {:.1f} (sent and received)",
                     counted(all.messages, "message"), bytes(double(r.bytes(all))), most,
                     double(sum) / double(r.traffic.rank.size()));
}

}  // namespace

std::string to_json(const PlanReport& r) {
  ordered_json json;
  json["version"] = r.version;
  json["predicted"] = true;
  json["matrix"] = to_json_object(r.matrix);
  json["factor"] = {{"kind", r.kind}, {"supernodes", r.supernodes}};
  json["plan"] = to_json_object(r.plan);
  json["solve"] = {{"nrhs", r.workload.nrhs}, {"op", r.op}, {"precision", r.precision}};
  json["totals"] = totals(r);
  json["ranks"] = ordered_json::array();
  for (Index rank = 0; rank < grid_of(r.plan).ranks(); ++rank) json["ranks"].push_back(rank_json(r, rank));
  return to_text(json);
}

std::string summary(const PlanReport& r) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  line("matrix", fmt::format("{}: {} rows, {}, {}, {}", r.matrix.name, r.matrix.rows,
                             counted(r.matrix.nonzeros, "nonzero"), counted(r.supernodes, "supernode"),
                             fmt::format("{}{}", numeric::find_kind(r.kind).title,
                                         r.kind == "cholesky" ? " (if it is definite)" : "")));
  line("plan",
       fmt::format("{}, {}, {} exchange, {} trees; op {}, {}", grid_of(r.plan).name(), r.plan.schedule,
                   r.plan.inter_grid, r.plan.tree, r.op, counted(r.workload.nrhs, "right-hand side")));
  const auto add = [&](MessageKind kind) {
    const Volume volume = sent(r, kind);
    line(name_of(kind), load(r, volume, [&](const RankTraffic& rank) { return messages(rank.of(kind)); }));
    return volume;
  };
  if (moves_vectors(r)) add(MessageKind::vectors);
  Volume all;
  for (const MessageKind kind : sweep_kinds) all += add(kind);
  line("all", load(r, all, [](const RankTraffic& rank) { return rank.messages(); }));
  const Index busiest = busiest_rank(r);
  const auto point = grid_of(r.plan).point(busiest);
  line("busiest", fmt::format("rank {} at ({}, {}, {})", busiest, point.x, point.y, point.z));
  line("layers", counted(r.traffic.synchronizations, "synchronization"));
  const auto stored = std::accumulate(r.stored_values.begin(), r.stored_values.end(), Offset{0});
  const auto most = *std::max_element(r.stored_values.begin(), r.stored_values.end());
  line("panels", fmt::format("{}; the fullest rank has {:.2f} x the mean",
                             bytes(double(stored) * double(r.workload.stored_bytes)),
                             double(most) * double(r.stored_values.size()) / double(stored)));
  return text;
}

std::string to_csv(const PlanReport& r, const std::vector<plan::Flow>& flows) {
  std::string text = "from,to,kind,messages,bytes\n";
  for (const plan::Flow& flow : flows) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", flow.from.value(), flow.to.value(),
                   name_of(flow.kind), flow.volume.messages, r.bytes(flow.volume));
  }
  return text;
}

}  // namespace trisweep::report
