#include "trisweep/report/himv_record.hpp"

#include <fmt/format.h>

#include "trisweep/report/text.hpp"

namespace trisweep::report {

nlohmann::ordered_json to_json_object(const device::GemvCounts& counts) {
  return {{"panels", counts.panels},   {"launches", counts.launches},
          {"blocks", counts.blocks},   {"idle_blocks", counts.idle_blocks},
          {"threads", counts.threads}, {"idle_threads", counts.idle_threads},
          {"numbers", counts.numbers}, {"padding", counts.padding}};
}

std::string to_json(const HimvRecord& r) {
  const hmatrix::ProductPrediction& p = r.result;
  nlohmann::ordered_json json;
  json["version"] = r.version;
  json["predicted"] = true;
  json["himv"] = {{"object", r.object},
                  {"elements", r.elements},
                  {"machine", r.machine},
                  {"nodes", r.options.processes.nodes},
                  {"processes", r.options.processes.of_node},
                  {"gpus", r.options.processes.gpus},
                  {"rank", r.options.rank},
                  {"numbers", p.numbers},
                  {"numbers_max", p.numbers_max},
                  {"launched", to_json_object(p.gemv)},
                  {"product_seconds", p.product_seconds},
                  {"least_seconds", p.least_seconds},
                  {"iteration",
                   {{"seconds", p.iteration.total()},
                    {"product_seconds", p.iteration.product},
                    {"local_seconds", p.iteration.local},
                    {"gather_seconds", p.iteration.gather},
                    {"vector_seconds", p.iteration.vectors},
                    {"hidden_seconds", p.iteration.hidden}}}};
  return to_text(json);
}

std::string summary(const HimvRecord& r) {
  const hmatrix::ProductPrediction& p = r.result;
  std::string text =
      fmt::format("object    {}: {}, {} in double precision at rank {}\n", r.object,
                  counted(r.elements, "triangle"), bytes(p.numbers * sizeof(double)), r.options.rank);
  text += fmt::format(
      "product   {} predicted on {} ({} at its bandwidth): {} in {} launches, {:.0f} % of threads idle\n",
      duration(p.product_seconds), r.machine, duration(p.least_seconds), counted(p.gemv.panels, "panel"),
      p.gemv.launches, p.gemv.threads == 0 ? 0 : 100 * double(p.gemv.idle_threads) / double(p.gemv.threads));
  text +=
      fmt::format("iteration {}: products {}, GPUs of a process {}, all-gathers {}, vectors {}, hidden {}\n",
                  duration(p.iteration.total()), duration(p.iteration.product), duration(p.iteration.local),
                  duration(p.iteration.gather), duration(p.iteration.vectors), duration(p.iteration.hidden));
  return text;
}

}  // namespace trisweep::report
