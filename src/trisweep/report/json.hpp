#pragma once
// Common parts of the records as JSON.

#include <nlohmann/json.hpp>

#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

nlohmann::ordered_json to_json_object(const MatrixRecord& matrix);
nlohmann::ordered_json to_json_object(const PlanRecord& plan);
nlohmann::ordered_json to_json_object(const MachineRecord& machine);
nlohmann::ordered_json to_json_object(const RunRecord& record);

std::string to_text(const nlohmann::ordered_json& json);

}  // namespace trisweep::report
