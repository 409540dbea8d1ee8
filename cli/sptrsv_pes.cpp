#include "sptrsv_pes.hpp"

#include <fmt/format.h>

#include "trisweep/model/machine.hpp"

namespace trisweep::cli {
namespace {

// A contribution reads an entry and its row index, and adds to a sum (a read and a write).
constexpr double bytes_of_contribution = 8 + 4 + 2 * 8;

studies::PeCosts costs_on(const model::Machine& machine) {
  if (!machine.one_sided || machine.device != "gpu")
    throw Error(ErrorKind::usage, fmt::format("{} has no GPUs that read each other's memory", machine.name),
                "choose dgx-1 or dgx-2: see trisweep machines");
  const model::Link& link = machine.one_sided->inside;
  return {.workers = machine.workers,
          .entry = bytes_of_contribution / machine.memory_bandwidth,
          .latency = link.latency + link.receive_overhead + link.send_overhead,
          .bandwidth = link.bandwidth};
}

nlohmann::ordered_json to_json(const studies::PeOutcome& pe, bool counts_pages) {
  nlohmann::ordered_json json{{"rows", pe.counts.rows},       {"polls", pe.counts.polls},
                              {"reads", pe.counts.reads},     {"writes", pe.counts.writes},
                              {"ordered", pe.counts.ordered}, {"bytes", pe.counts.bytes}};
  if (counts_pages) json["migrations"] = pe.counts.migrations;
  json.update({{"launches", pe.launches}, {"seconds", pe.seconds}, {"idle_seconds", pe.idle_seconds}});
  return json;
}

}  // namespace

void add_pe_options(CLI::App& sub, PeStudy& study) {
  auto* pes = sub.add_option("--pes", study.pes,
                             "Number of PEs of a multi-GPU design (--algorithm): simulated in the model by "
                             "default; executed with --device emulated, cuda or hip, by one process or by "
                             "as many ranks as PEs")
                  ->check(CLI::Range(1, studies::most_pes));
  sub.add_option("--tasks", study.tasks, "Tasks per PE, for designs with a task pool")
      ->check(CLI::Range(1, 1 << 16))
      ->needs(pes)
      ->capture_default_str();
  sub.add_flag("--one-stream", study.one_stream,
               "Model one stream per PE: tasks do not overlap (default: a task starts when warps are free)")
      ->needs(pes);
  sub.add_option("--machine", study.machine,
                 "Machine of the simulated GPUs and of the task placement: a name (see trisweep machines) or "
                 "a .json file")
      ->needs(pes)
      ->capture_default_str();
}

PeRun::PeRun(const PeStudy& study, const std::string& design)
    : study_(study),
      design_(studies::find_design(design)),
      options_{.layout = {.pes = study.pes, .tasks = study.tasks},
               .costs = costs_on(model::find_machine(study.machine)),
               .one_stream = study.one_stream} {}

nlohmann::ordered_json PeRun::details() const {
  nlohmann::ordered_json pes = nlohmann::ordered_json::array();
  for (const studies::PeOutcome& pe : report_.pe) pes.push_back(to_json(pe, counts_pages_));
  return {{"tasks", tasks()},
          {"idle_share", report_.idle_share()},
          {"bytes_moved", report_.total().bytes},
          {"pes", std::move(pes)}};
}

void PeRun::add_prediction_to(nlohmann::ordered_json& record) const {
  record["predicted"] = true;
  record["sptrsv"].update({{"algorithm", design_.name}, {"machine", study_.machine}});
  record["sptrsv"].update(details());
  record["solve"].update({{"seconds_min", report_.seconds}, {"seconds_median", report_.seconds}});
}

std::string PeRun::size() const {
  return fmt::format("{} PEs, {} tasks each", study_.pes, tasks());
}

std::string PeRun::summary_of_prediction() const {
  return fmt::format("solve     {:.3g} ms predicted: {}, {} PEs of {}, {} tasks each\n",
                     1e3 * report_.seconds, design_.name, study_.pes, study_.machine, tasks());
}

std::string PeRun::summary_of_pes() const {
  const studies::PeCounts total = report_.total();
  return fmt::format("PEs       {:.3g} MB moved, {} polls{}, idle {:.1f}%\n", double(total.bytes) * 1e-6,
                     total.polls,
                     counts_pages_ ? fmt::format(", {} migrations of pages", total.migrations) : "",
                     100 * report_.idle_share());
}

}  // namespace trisweep::cli
