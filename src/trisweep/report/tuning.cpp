#include "trisweep/report/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>

#include "trisweep/report/factorization.hpp"
#include "trisweep/report/json.hpp"
#include "trisweep/report/text.hpp"

namespace trisweep::report {
namespace {

using model::Candidate;
using model::PlanChoice;
using model::RuledOut;
using model::Tuning;
using nlohmann::ordered_json;

// "+12 %", or "3.4 times".
std::string loss(double seconds, double best) {
  const double ratio = seconds / best;
  return ratio < 2 ? fmt::format("{:+.0f} %", 100 * (ratio - 1)) : fmt::format("{:.1f} times", ratio);
}

// Plans of one kind distribute the work in the same way.
std::string kind_of(const PlanChoice& choice) {
  return fmt::format("{}, inverted {}", choice.mapping, choice.diagonal);
}

std::string limit(const Candidate& best) {
  const auto percent = [&](double seconds) { return 100 * seconds / best.seconds; };
  const double messages = best.seconds - best.path_task_seconds - best.path_flight_seconds;
  return fmt::format(
      "its critical path is {:.0f} % tasks, {:.0f} % message overheads, {:.0f} % message latency and "
      "transfer; {} is its bandwidth bound",
      percent(best.path_task_seconds), percent(messages), percent(best.path_flight_seconds),
      duration(best.bandwidth_floor));
}

std::string runner_up(const Tuning& tuning) {
  const Candidate& best = tuning.best();
  const auto is_other = [&](const auto& plan) { return kind_of(plan.choice) != kind_of(best.choice); };
  const auto next = std::ranges::find_if(tuning.candidates, is_other);
  if (next != tuning.candidates.end()) {
    return fmt::format("the best of another kind, {} on {}, takes {} ({})", kind_of(next->choice),
                       next->choice.grid.name(), duration(next->seconds), loss(next->seconds, best.seconds));
  }
  const auto ruled_out = std::ranges::find_if(tuning.ruled_out, is_other);
  if (ruled_out == tuning.ruled_out.end()) return "there is no other kind of plan to choose";
  return fmt::format("no plan of another kind can take less than {} ({})", duration(ruled_out->lower_bound),
                     kind_of(ruled_out->choice));
}

// Whether two plans differ in one axis only.
bool differs_only_in(const model::NamedAxis& axis, const PlanChoice& plan, PlanChoice other) {
  if (plan.*axis.value == other.*axis.value) return false;
  other.*axis.value = plan.*axis.value;
  return other == plan;
}
bool differs_only_in_grid(const PlanChoice& plan, PlanChoice other) {
  if (plan == other) return false;
  other.grid = plan.grid;
  return other == plan;
}

std::string changes(const Tuning& tuning) {
  const Candidate& best = tuning.best();
  std::string text;
  const auto add = [&](const auto& differs, const auto& named) {
    const auto other =
        std::ranges::find_if(tuning.candidates, [&](const auto& c) { return differs(c.choice); });
    if (other == tuning.candidates.end()) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", named(other->choice),
                        loss(other->seconds, best.seconds));
  };
  add([&](const PlanChoice& c) { return differs_only_in_grid(best.choice, c); },
      [](const PlanChoice& c) { return c.grid.name(); });
  for (const model::NamedAxis& axis : model::named_axes()) {
    if (axis.value == &PlanChoice::mapping || axis.value == &PlanChoice::diagonal) continue;
    add([&](const PlanChoice& c) { return differs_only_in(axis, best.choice, c); },
        [&](const PlanChoice& c) { return c.*axis.value; });
  }
  if (tuning.halves_seconds > 0) {
    text += fmt::format("{}its right-hand sides in two halves {}", text.empty() ? "" : ", ",
                        loss(tuning.halves_seconds, best.seconds));
  }
  return text.empty() ? "no single option can be changed" : "the same with " + text;
}

ordered_json choice_json(const PlanChoice& choice) {
  ordered_json json{{"grid", {choice.grid.px, choice.grid.py, choice.grid.pz}}};
  for (const model::NamedAxis& axis : model::named_axes()) {
    std::string name = axis.name;
    std::ranges::replace(name, '-', '_');
    json[name] = choice.*axis.value;
  }
  return json;
}

ordered_json candidate_json(const Candidate& c) {
  ordered_json json = choice_json(c.choice);
  json["predicted_seconds"] = c.seconds;
  json["answer_seconds"] = c.answer_seconds;
  json["bandwidth_seconds"] = c.bandwidth_floor;
  return json;
}

const Tuning& chosen_from(const TuningReport& r) {
  return r.every_plan ? *r.every_plan : r.tuning;
}

constexpr int rows_of_a_kind = 3;

// One word of a shell, quoted if it has to be.
std::string in_shell(const std::string& word) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("%+,-./:=@_", c); };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  return shell_quoted(word);
}

std::string table(const Tuning& tuning) {
  std::string text = fmt::format("\n{:<10} {:<10} {:<13} {:<12} {:<12} {:<10} {:<7} {}\n", "seconds", "grid",
                                 "mapping", "diagonal", "schedule", "inter-grid", "tree", "transport");
  std::map<std::string, int> rows;
  for (const Candidate& c : tuning.candidates) {
    if (++rows[kind_of(c.choice)] > rows_of_a_kind) continue;
    text += fmt::format("{:<10.3e} {:<10} {:<13} {:<12} {:<12} {:<10} {:<7} {}\n", c.seconds,
                        c.choice.grid.name(), c.choice.mapping, c.choice.diagonal, c.choice.schedule,
                        c.choice.inter_grid, c.choice.tree, c.choice.transport);
  }
  for (const RuledOut& r : tuning.ruled_out) {
    if (rows[kind_of(r.choice)]++ > 0) continue;
    text += fmt::format("> {:<8.2e} {} at best\n", r.lower_bound, kind_of(r.choice));
  }
  return text + "\n";
}

}  // namespace

std::array<std::string, 3> reasons(const Tuning& tuning) {
  return {limit(tuning.best()), runner_up(tuning), changes(tuning)};
}

std::string solve_options(const PlanChoice& choice) {
  const PlanChoice usual;
  std::string text = "--grid " + choice.grid.name();
  for (const model::NamedAxis& axis : model::named_axes()) {
    if (choice.*axis.value != usual.*axis.value)
      text += fmt::format(" --{} {}", axis.name, choice.*axis.value);
  }
  return text;
}

std::string to_json(const TuningReport& r) {
  const Tuning& from = chosen_from(r);
  ordered_json json;
  json["version"] = r.version;
  json["predicted"] = true;
  json["matrix"] = to_json_object(r.matrix);
  json["factor"] = {{"kind", r.kind}};
  PlanRecord plan = plan_record(from.best().choice, r.machine);
  plan.chosen_by = "model";
  json["plan"] = to_json_object(plan);
  json["solve"] = {{"nrhs", r.workload.nrhs}, {"op", r.op}, {"precision", r.precision}};
  ordered_json& tune = json["tune"];
  tune["machine"] = ordered_json::parse(model::to_json(r.machine));
  tune["ranks"] = r.ranks;
  tune["predicted_seconds"] = from.best().seconds;
  tune["answer_seconds"] = from.best().answer_seconds;
  if (from.halves_seconds > 0) tune["halves_seconds"] = from.halves_seconds;
  if (r.factorization) tune["factorization"] = to_json_object(*r.factorization);
  tune["reasons"] = reasons(from);
  tune["options"] = solve_options(from.best().choice) + r.given;
  tune["analysis_seconds"] = r.analysis_seconds;
  tune["search_seconds"] = r.search_seconds;
  tune["simulated"] = r.tuning.candidates.size();
  tune["ruled_out"] = r.tuning.ruled_out.size();
  for (const Candidate& c : r.tuning.candidates) tune["candidates"].push_back(candidate_json(c));
  if (r.every_plan) {
    tune["every_plan"] = {{"plans", r.every_plan->candidates.size()},
                          {"predicted_seconds", r.every_plan->best().seconds},
                          {"shortfall", r.shortfall()}};
  }
  return to_text(json);
}

std::string summary(const TuningReport& r) {
  const Tuning& from = chosen_from(r);
  const Candidate& best = from.best();
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<9} {}\n", name, value);
  };
  line("matrix",
       fmt::format("{}: {} rows, {}", r.matrix.name, r.matrix.rows, counted(r.matrix.nonzeros, "nonzero")));
  line("plan", fmt::format("{} predicted ({} an answer) with {} of {}: {} on {}", duration(best.seconds),
                           duration(best.answer_seconds), counted(r.ranks, "rank"), r.machine.name,
                           kind_of(best.choice), best.choice.grid.name()));
  for (const std::string& reason : reasons(from)) line("", reason);
  if (r.factorization) line("factor", factorization_in_words(*r.factorization));
  line("search",
       fmt::format("{} simulated, {} ruled out by their bounds: {} after {} of analysis",
                   counted(static_cast<Offset>(r.tuning.candidates.size()), "plan"),
                   r.tuning.ruled_out.size(), duration(r.search_seconds), duration(r.analysis_seconds)));
  if (r.every_plan) {
    line("every",
         fmt::format("{} simulated: the search finds {:.3f} times the least",
                     counted(static_cast<Offset>(r.every_plan->candidates.size()), "plan"), r.shortfall()));
  }
  text += table(from);
  return text + fmt::format("trisweep solve {} {}{}\n", in_shell(r.matrix.name), solve_options(best.choice),
                            r.given);
}

}  // namespace trisweep::report
