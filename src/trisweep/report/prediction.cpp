#include "trisweep/report/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trisweep/report/factorization.hpp"
#include "trisweep/report/json.hpp"
#include "trisweep/report/separators.hpp"
#include "trisweep/report/text.hpp"

namespace trisweep::report {
namespace {

using model::Activity;
using model::PathSegment;
using model::RankTimes;
using model::Wait;
using nlohmann::ordered_json;

// A path through a rank that is always busy has as many segments as the rank has tasks.
constexpr std::size_t most_segments = 20000;

// The seconds of the critical path by what was done in them.
struct PathParts {
  double tasks = 0;
  double overheads = 0;  // taking messages, and steps of exchanges
  double flights = 0;
  double behind_rank = 0;  // of the first two: done before the rank came to what the path needed next
};

PathParts parts(const std::vector<PathSegment>& path) {
  PathParts sum;
  for (const PathSegment& segment : path) {
    const double seconds = segment.end - segment.begin;
    const bool task = segment.activity == Activity::task || segment.activity == Activity::diagonal;
    (task ? sum.tasks : sum.overheads) += seconds;
    sum.flights += segment.flight_seconds;
    if (segment.waited_for == Wait::rank) sum.behind_rank += seconds;
  }
  return sum;
}

ordered_json path_json(const std::vector<PathSegment>& path) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < std::min(path.size(), most_segments); ++i) {
    const PathSegment& s = path[i];
    ordered_json segment{{"rank", s.rank},
                         {"phase", s.phase},
                         {"activity", model::name_of(s.activity)},
                         {"waited_for", model::name_of(s.waited_for)},
                         {"begin", s.begin},
                         {"seconds", s.end - s.begin},
                         {"steps", s.steps}};
    if (s.supernode >= 0) segment["supernode"] = s.supernode;
    if (s.waited_for == Wait::message) {
      segment["from"] = s.from;
      segment["flight_seconds"] = s.flight_seconds;
    }
    list.push_back(std::move(segment));
  }
  return list;
}

ordered_json answer_json(const model::AnswerPrice& a) {
  return {{"corrections", a.corrections},
          {"seconds", a.seconds()},
          {"sweep_seconds", a.sweeps},
          {"product_seconds", a.products},
          {"halo_seconds", a.halos},
          {"reductions", a.reductions},
          {"reduction_seconds", a.reduction_seconds},
          {"update_seconds", a.updates}};
}

ordered_json model_json(const PredictionReport& r) {
  const model::Prediction& p = r.prediction;
  const PathParts path = parts(p.critical_path);
  ordered_json json;
  json["machine"] = ordered_json::parse(model::to_json(r.machine));
  json["analysis_seconds"] = r.analysis_seconds;
  json["plan_seconds"] = r.plan_seconds;
  json["simulation_seconds"] = r.simulation_seconds;
  json["noise"] = {{"sigma", r.noise.sigma}, {"seed", r.noise.seed}};
  json["events"] = p.events;
  json["answer_seconds"] = r.answers.front().seconds();
  for (const model::AnswerPrice& answer : r.answers) json["answers"].push_back(answer_json(answer));
  if (r.factorization) json["factorization"] = to_json_object(*r.factorization);
  json["serial_seconds"] = r.serial_seconds;
  json["efficiency"] = r.efficiency();
  json["floor"]["bandwidth_seconds"] = p.bandwidth_floor;
  if (r.no_communication_seconds) json["floor"]["no_communication_seconds"] = *r.no_communication_seconds;
  if (r.no_computation_seconds) json["floor"]["no_computation_seconds"] = *r.no_computation_seconds;
  json["path"] = {{"task_seconds", path.tasks},
                  {"overhead_seconds", path.overheads},
                  {"flight_seconds", path.flights},
                  {"waited_for_rank_seconds", path.behind_rank},
                  {"segments", p.critical_path.size()}};
  json["critical_path"] = path_json(p.critical_path);
  return json;
}

RankRecord rank_record(const PredictionReport& r, Index rank) {
  const RankTimes& times = r.prediction.rank[usize(rank)];
  const auto point = distribution::ProcessGrid{r.run.plan.px, r.run.plan.py, r.run.plan.pz}.point(rank);
  RankRecord record{.rank = rank,
                    .x = point.x,
                    .y = point.y,
                    .z = point.z,
                    .l_seconds = times.l_seconds,
                    .u_seconds = times.u_seconds,
                    .inter_grid_seconds = times.inter_grid_seconds,
                    .vector_seconds = times.vector_seconds,
                    .idle_seconds = times.idle_seconds,
                    .l_floating_point_seconds = times.l_floating_point_seconds,
                    .u_floating_point_seconds = times.u_floating_point_seconds,
                    .messages = {}};
  const auto bytes = [&](const plan::Volume& volume) {
    return volume.rows * r.workload.nrhs * static_cast<Offset>(r.workload.scalar_bytes);
  };
  for (const plan::MessageKind kind : plan::message_kinds) {
    const auto& both = r.prediction.traffic[usize(rank)].of(kind);
    record.messages[plan::index_of(kind)] = {both.sent.messages, bytes(both.sent), both.received.messages,
                                             bytes(both.received)};
  }
  return record;
}

std::string answers_in_words(const PredictionReport& r) {
  const auto times = [&](const model::AnswerPrice& a) {
    return fmt::format("{} ({:.2f} sweeps)", duration(a.seconds()), a.seconds() / r.prediction.seconds);
  };
  const model::AnswerPrice &first = r.answers.front(), &corrected = r.answers.back();
  return fmt::format(
      "{}: besides the sweep {} of reductions ({}), {} of products with A, {} of halos; with a correction {}",
      times(first), duration(first.reduction_seconds), first.reductions, duration(first.products),
      duration(first.halos), times(corrected));
}

}  // namespace

void complete_run(PredictionReport& r) {
  const auto most = [&](double RankTimes::*seconds) {
    double most_seconds = 0;
    for (const RankTimes& times : r.prediction.rank) most_seconds = std::max(most_seconds, times.*seconds);
    return most_seconds;
  };
  r.run.predicted = true;
  if (r.factorization) r.run.factor.seconds = r.factorization->seconds();
  SolveRecord& solve = r.run.solve;
  solve.nrhs = r.workload.nrhs;
  solve.method = "direct";
  solve.seconds_min = solve.seconds_median = r.prediction.seconds;
  solve.l_seconds = most(&RankTimes::l_seconds);
  solve.u_seconds = most(&RankTimes::u_seconds);
  solve.inter_grid_seconds = most(&RankTimes::inter_grid_seconds);
  solve.vector_seconds = most(&RankTimes::vector_seconds);
  for (Index rank = 0; rank < static_cast<Index>(r.prediction.rank.size()); ++rank)
    r.run.ranks.push_back(rank_record(r, rank));
  r.run.machine = {.host = r.machine.name, .processor = r.machine.device, .mpi = "modelled"};
}

std::string to_json(const PredictionReport& report) {
  ordered_json json = to_json_object(report.run);
  json["model"] = model_json(report);
  return to_text(json);
}

std::string summary(const PredictionReport& r) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<9} {}\n", name, value);
  };
  const model::Prediction& p = r.prediction;
  const PathParts path = parts(p.critical_path);
  const auto percent = [&](double seconds) { return 100 * seconds / p.seconds; };
  line("matrix",
       fmt::format("{}: {} rows, {}, {}", r.run.matrix.name, r.run.matrix.rows,
                   counted(r.run.matrix.nonzeros, "nonzero"), counted(r.run.factor.supernodes, "supernode")));
  line("plan", fmt::format("{}x{}x{} on {}, {}, {} trees, {}, {}", r.run.plan.px, r.run.plan.py,
                           r.run.plan.pz, r.machine.name, r.run.plan.schedule, r.run.plan.tree,
                           r.run.plan.transport, counted(r.workload.nrhs, "right-hand side")));
  if (r.factorization) line("factor", factorization_in_words(*r.factorization));
  if (r.run.separators) line("memory", "inverted separators take " + separators_in_words(r.run));
  line("solve",
       fmt::format("{} predicted (L {}, U {}, inter-grid {}); efficiency {:.1f} % relative to {} on one rank",
                   duration(p.seconds), duration(r.run.solve.l_seconds), duration(r.run.solve.u_seconds),
                   duration(r.run.solve.inter_grid_seconds), 100 * r.efficiency(),
                   duration(r.serial_seconds)));
  line("answer", answers_in_words(r));
  line("path", fmt::format("{:.0f} % tasks, {:.0f} % message overheads, {:.0f} % message latency and "
                           "transfer; {:.0f} % waiting for other work of a rank",
                           percent(path.tasks), percent(path.overheads), percent(path.flights),
                           percent(path.behind_rank)));
  std::string floors = duration(p.bandwidth_floor) + " bandwidth";
  if (r.no_communication_seconds)
    floors += ", " + duration(*r.no_communication_seconds) + " without communication";
  if (r.no_computation_seconds) floors += ", " + duration(*r.no_computation_seconds) + " without computation";
  line("floors", floors);
  line("model", fmt::format("analysis {}, plans {}, simulation {} ({})", duration(r.analysis_seconds),
                            duration(r.plan_seconds), duration(r.simulation_seconds),
                            counted(static_cast<Offset>(p.events), "event")));
  return text;
}

}  // namespace trisweep::report
