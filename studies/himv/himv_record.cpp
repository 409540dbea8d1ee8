#include "studies/himv/himv_record.hpp"

#include <fmt/format.h>

#include "trisweep/report/text.hpp"

namespace trisweep::studies {

nlohmann::ordered_json to_json_object(const GemvCounts& counts) {
  return {{"panels", counts.panels},   {"launches", counts.launches},
          {"blocks", counts.blocks},   {"idle_blocks", counts.idle_blocks},
          {"threads", counts.threads}, {"idle_threads", counts.idle_threads},
          {"numbers", counts.numbers}, {"padding", counts.padding}};
}

std::string to_json(const HimvRecord& r) {
  const ProductPrediction& p = r.result;
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
  return report::to_text(json);
}

std::string summary(const HimvRecord& r) {
  const ProductPrediction& p = r.result;
  std::string text = fmt::format("object    {}: {}, {} in double precision at rank {}\n", r.object,
                                 report::counted(r.elements, "triangle"),
                                 report::bytes(p.numbers * sizeof(double)), r.options.rank);
  text += fmt::format(
      "product   {} predicted on {} ({} at its bandwidth): {} in {} launches, {:.0f} % of threads idle\n",
      report::duration(p.product_seconds), r.machine, report::duration(p.least_seconds),
      report::counted(p.gemv.panels, "panel"), p.gemv.launches,
      p.gemv.threads == 0 ? 0 : 100 * double(p.gemv.idle_threads) / double(p.gemv.threads));
  text +=
      fmt::format("iteration {}: products {}, GPUs of a process {}, all-gathers {}, vectors {}, hidden {}\n",
                  report::duration(p.iteration.total()), report::duration(p.iteration.product),
                  report::duration(p.iteration.local), report::duration(p.iteration.gather),
                  report::duration(p.iteration.vectors), report::duration(p.iteration.hidden));
  return text;
}

}  // namespace trisweep::studies
