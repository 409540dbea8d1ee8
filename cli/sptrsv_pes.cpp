#include "sptrsv_pes.hpp"

#include <fmt/format.h>

#include "trisweep/model/machine.hpp"

namespace trisweep::cli {
namespace {

// A contribution reads an entry and its row, and adds to a sum.
constexpr double bytes_of_contribution = 8 + 4 + 2 * 8;
constexpr Index warps_of_worker = 64;  // resident on a compute unit of an NVIDIA GPU

component::PeCosts costs_on(const model::Machine& machine) {
  if (!machine.one_sided || machine.device != "gpu")
    throw Error(ErrorKind::usage, fmt::format("{} has no GPUs that read each other's memory", machine.name),
                "choose dgx-1 or dgx-2: see trisweep machines");
  const model::Link& link = machine.one_sided->inside;
  return {.resident = machine.workers * warps_of_worker,
          .entry = bytes_of_contribution / machine.memory_bandwidth,
          .latency = link.latency + link.receive_overhead + link.send_overhead,
          .bandwidth = link.bandwidth};
}

nlohmann::ordered_json to_json(const component::PeOutcome& pe) {
  return {{"rows", pe.counts.rows},
          {"polls", pe.counts.polls},
          {"reads", pe.counts.reads},
          {"writes", pe.counts.writes},
          {"ordered", pe.counts.ordered},
          {"bytes", pe.counts.bytes},
          {"migrations", pe.counts.migrations},
          {"launches", pe.launches},
          {"seconds", pe.seconds},
          {"idle_seconds", pe.idle_seconds}};
}

}  // namespace

CLI::Option* add_pe_options(CLI::App& sub, PeStudy& study) {
  auto* pes =
      sub.add_option("--pes", study.pes, "Study: virtual PEs that solve by the design that --algorithm names")
          ->check(CLI::Range(1, component::most_pes));
  sub.add_option("--tasks", study.tasks, "Of each PE, in designs that have them")
      ->check(CLI::Range(1, 1 << 16))
      ->needs(pes)
      ->capture_default_str();
  sub.add_option("--machine", study.machine,
                 "Whose GPUs the PEs are timed as: a name (see trisweep machines) or a .json file")
      ->needs(pes)
      ->capture_default_str();
  return pes;
}

PeRun::PeRun(const PeStudy& study, const std::string& design)
    : study_(study),
      design_(component::find_design(design)),
      options_{.layout = {.pes = study.pes, .tasks = study.tasks},
               .costs = costs_on(model::find_machine(study.machine))} {}

void PeRun::add_to(nlohmann::ordered_json& record) const {
  nlohmann::ordered_json pes = nlohmann::ordered_json::array();
  for (const component::PeOutcome& pe : report_.pe) pes.push_back(to_json(pe));
  record["predicted"] = true;
  record["sptrsv"].update({{"algorithm", design_.name},
                           {"machine", study_.machine},
                           {"tasks", design_.has_tasks ? study_.tasks : 1},
                           {"idle_share", report_.idle_share()},
                           {"bytes_moved", report_.total().bytes},
                           {"pes", std::move(pes)}});
  record["solve"].update({{"seconds_min", report_.seconds}, {"seconds_median", report_.seconds}});
}

std::string PeRun::summary() const {
  const component::PeCounts total = report_.total();
  return fmt::format(
      "solve     {:.3g} ms predicted: {}, {} PEs of {}, {} tasks each\n"
      "PEs       {:.3g} MB moved, {} polls, {} migrations of pages, idle {:.1f}%\n",
      1e3 * report_.seconds, design_.name, study_.pes, study_.machine, design_.has_tasks ? study_.tasks : 1,
      double(total.bytes) * 1e-6, total.polls, total.migrations, 100 * report_.idle_share());
}

}  // namespace trisweep::cli
