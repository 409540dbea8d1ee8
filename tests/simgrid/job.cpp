#include "job.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "studies/analysis_file.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::simgrid {

Job read_job(const std::string& analysis_file, const std::string& record_file,
             const std::string& machine_file) {
  const model::SavedAnalysis analysis = studies::load_analysis(analysis_file);
  std::ifstream file(record_file);
  const auto record = nlohmann::json::parse(file);
  const auto& plan = record.at("plan");
  const auto& solve = record.at("solve");
  const auto name = [&](const char* axis) { return plan.at(axis).get<std::string>(); };

  const auto sides = plan.at("grid").get<std::array<Index, 3>>();
  const distribution::ProcessGrid grid{sides[0], sides[1], sides[2]};
  const auto& choice = distribution::find_mapping(name("mapping"));
  const auto structure = distribution::in_tiles(analysis.structure, choice, grid);
  const auto mapping = choice.make(*structure, grid);
  const plan::PlanSpec spec{.op = static_cast<Op>(solve.at("op").get<std::string>().front()),
                            .upper_is_lower = analysis.kind != "lu",
                            .tree = plan::find_tree(name("tree")),
                            .inter_grid = plan::find_inter_grid(name("inter_grid"))};
  const auto& precision = model::find_precision(solve.at("precision").get<std::string>());
  return {.machine = model::find_machine(machine_file),
          .workload = precision.workload(solve.at("nrhs").get<Index>(), analysis.complex),
          .transport = name("transport"),
          .plans =
              plan::make_all_plans(*structure, *mapping, plan::find_schedule(name("schedule")).choice, spec)};
}

}  // namespace trisweep::simgrid
