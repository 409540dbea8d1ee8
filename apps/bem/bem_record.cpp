#include "apps/bem/bem_record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "studies/himv/himv_record.hpp"
#include "trisweep/report/text.hpp"

namespace trisweep::bem {
namespace {

std::string charge_in_words(const BemRecord& r) {
  const std::string charge = fmt::format("{:.8e} C", r.result.charge);
  if (!std::isfinite(r.charge_relative_error())) return charge;
  return charge +
         fmt::format(", {:.2e} off the exact {:.8e} C", std::abs(r.charge_relative_error()), *r.exact_charge);
}

}  // namespace

double BemRecord::charge_relative_error() const {
  return exact_charge ? result.charge / *exact_charge - 1 : report::SolveRecord::unknown;
}

double BemRecord::dense_fraction() const {
  return double(result.matrix.bytes) / (double(elements) * double(elements) * sizeof(double));
}

std::string to_json(const BemRecord& r) {
  const hmatrix::Statistics& m = r.result.matrix;
  nlohmann::ordered_json json;
  json["version"] = r.version;
  json["predicted"] = false;
  json["bem"] = {{"object", r.object},
                 {"elements", r.elements},
                 {"repairs",
                  {{"without_area", r.repairs.without_area},
                   {"duplicated", r.repairs.duplicated},
                   {"turned", r.repairs.turned}}},
                 {"eps", r.result.eps},
                 {"tolerance", r.tolerance},
                 {"ranks", r.ranks},
                 {"threads", r.threads},
                 {"charge", r.result.charge},
                 {"total_charge", r.result.total_charge},
                 {"charge_relative_error", r.charge_relative_error()},
                 {"stored_values", m.stored_values},
                 {"bytes", m.bytes},
                 {"bytes_max", m.bytes_max},
                 {"bytes_balance", m.bytes_balance},
                 {"hacapk_bytes_balance", r.result.hacapk.bytes},
                 {"hacapk_rows", r.result.hacapk.rows},
                 {"dense_fraction", r.dense_fraction()},
                 {"low_rank_blocks", m.low_rank_blocks},
                 {"dense_blocks", m.dense_blocks},
                 {"ranks_mean", m.mean_rank},
                 {"ranks_max", m.max_rank},
                 {"blocks_of_rank", m.blocks_of_rank},
                 {"sampled_error", r.result.sampled_error},
                 {"assembly_seconds", m.assembly_seconds},
                 {"product_seconds", r.result.product_seconds},
                 {"solve_seconds", r.result.solve_seconds},
                 {"method", r.method},
                 {"preconditioner", r.preconditioner},
                 {"preconditioner_seconds", r.result.preconditioner_seconds},
                 {"iterations", r.result.solve.iterations},
                 {"true_residual", r.result.solve.residual},
                 {"residuals", r.result.solve.history}};
  if (const studies::DeviceCounts& d = r.result.device; d.transfers > 0)
    json["bem"]["device"] = {{"launched", studies::to_json_object(d.gemv)},
                             {"transfers", d.transfers},
                             {"transferred_bytes", d.transferred_bytes},
                             {"vectors",
                              {{"steps", r.result.steps.steps},
                               {"updates", r.result.steps.updates},
                               {"inner_products", r.result.steps.products},
                               {"copied_bytes", r.result.steps.copied_bytes}}}};
  json["machine"] = report::to_json_object(r.machine);
  return report::to_text(json);
}

std::string summary(const BemRecord& r) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<9} {}\n", name, value);
  };
  const hmatrix::Statistics& m = r.result.matrix;
  line("object", fmt::format("{}: {}", r.object, report::counted(r.elements, "triangle")));
  if (r.repairs.any())
    line("repaired", fmt::format("{} without area and {} removed, {} turned",
                                 report::counted(r.repairs.without_area, "triangle"),
                                 report::counted(r.repairs.duplicated, "duplicate"), r.repairs.turned));
  line("assembly", fmt::format("{}: {}, {:.2f} % of dense; {}, rank {:.1f} on average, {} at most; {}",
                               report::duration(m.assembly_seconds), report::bytes(double(m.bytes)),
                               100 * r.dense_fraction(), report::counted(m.low_rank_blocks, "low-rank block"),
                               m.mean_rank, m.max_rank, report::counted(m.dense_blocks, "dense block")));
  line("product",
       fmt::format("{}, {}/s; relative error about {:.1e}", report::duration(r.result.product_seconds),
                   report::bytes(double(m.bytes) / r.result.product_seconds), r.result.sampled_error));
  if (r.preconditioner != "none")
    line("setup", fmt::format("{}: preconditioner {}", report::duration(r.result.preconditioner_seconds),
                              r.preconditioner));
  line("solve",
       fmt::format("{}: {}, residual {:.1e}", report::duration(r.result.solve_seconds),
                   report::counted(r.result.solve.iterations, "iteration"), r.result.solve.residual));
  line("charge", charge_in_words(r));
  return text;
}

std::string verdict(const BemRecord& r) {
  return fmt::format(
      "{} {} after {}: the residual is {:.1e}, not {:.1e}\n"
      "  remedy: allow more iterations (--max-iterations) or a larger residual (--tol), compress less "
      "(--eps), and "
      "look for triangles that are degenerate",
      r.method, krylov::words_of(r.result.solve.outcome).sentence,
      report::counted(r.result.solve.iterations, "iteration"), r.result.solve.residual, r.tolerance);
}

}  // namespace trisweep::bem
