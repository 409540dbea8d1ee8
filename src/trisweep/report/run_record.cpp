#include "trisweep/report/run_record.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

#include "trisweep/report/json.hpp"
#include "trisweep/report/tuning.hpp"

namespace trisweep::solve {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FactorReport, factorization, kind, nonzeros_l, nonzeros_u, bytes,
                                   uncompressed_bytes, supernodes, flops, analysis_seconds, seconds,
                                   perturbed_pivots, delayed_pivots, condition_estimate, numerically_singular,
                                   second_try, block_stages, nonzeros_off_diagonal, compression_eps,
                                   compression_seconds, compression_undone, level_bytes,
                                   uncompressed_level_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SeparatorsCost, extra_bytes, extra_panel_bytes, extra_panel_bytes_max,
                                   extra_flops)

}  // namespace trisweep::solve

namespace trisweep::report {
namespace {

// The model name from /proc/cpuinfo; "unknown" where the system does not say.
std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace

MachineRecord this_machine() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {.host = host.data(),
          .processor = processor_name(),
          .mpi = mpi_name(),
          .processors = static_cast<int>(std::thread::hardware_concurrency()),
          .memory_bytes = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE))};
}

PlanRecord plan_record(const model::PlanChoice& choice, const std::string& device) {
  return {.px = choice.grid.px,
          .py = choice.grid.py,
          .pz = choice.grid.pz,
          .mapping = choice.mapping,
          .schedule = choice.schedule,
          .inter_grid = choice.inter_grid,
          .tree = choice.tree,
          .diagonal = choice.diagonal,
          .transport = choice.transport,
          .device = device};
}

PlanRecord plan_record(const model::PlanChoice& choice, const model::Machine& machine) {
  return plan_record(choice, machine.device == "cpu" ? std::string("native") : machine.device);
}

ModelRecord model_record(const solve::ModelAdvice& advice) {
  const auto why = reasons(advice.tuning);
  return {.machine = advice.machine,
          .predicted_seconds = advice.tuning.best().seconds,
          .predicted_solve_seconds = advice.solve_seconds,
          .predicted_vector_seconds = advice.vector_seconds,
          .tuning_seconds = advice.seconds,
          .simulated = static_cast<Index>(advice.tuning.candidates.size()),
          .ruled_out = static_cast<Index>(advice.tuning.ruled_out.size()),
          .reasons = {why.begin(), why.end()}};
}

RankRecord rank_record(Index rank, const distribution::ProcessGrid& grid, const engine::SolveProfile& last) {
  const auto point = grid.point(rank);
  const engine::PhaseProfile all = last.sum();
  RankRecord record{
      .rank = rank,
      .x = point.x,
      .y = point.y,
      .z = point.z,
      .l_seconds = last.l.seconds,
      .u_seconds = last.u.seconds + last.diagonal.seconds,
      .inter_grid_seconds = last.inter_grid.seconds,
      .vector_seconds = last.vectors.seconds,
      .idle_seconds = all.idle_seconds,
      .l_floating_point_seconds = last.l.floating_point_seconds,
      .u_floating_point_seconds = last.u.floating_point_seconds + last.diagonal.floating_point_seconds,
      .messages = {}};
  for (const plan::MessageKind kind : plan::message_kinds) {
    const auto k = plan::index_of(kind);
    record.messages[k] = {all.sent[k].messages, all.sent[k].bytes, all.received[k].messages,
                          all.received[k].bytes};
  }
  return record;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatrixRecord, name, rows, nonzeros)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SolveRecord, nrhs, op, precision, method, repeats, setup_seconds,
                                   distribution_seconds, plan_seconds, panel_bytes, panel_bytes_max,
                                   seconds_min, seconds_median, l_seconds, u_seconds, inter_grid_seconds,
                                   vector_seconds, backward_error, componentwise_backward_error,
                                   arioli_demmel_duff_backward_error, solution_condition, forward_error_bound,
                                   componentwise_forward_error_bound, refinement_steps, refinement_seconds,
                                   answer_seconds_median, first_answer_seconds, reductions, unsolved,
                                   small_equations, small_size, rows, panel_share, of_sample,
                                   compression_pays_from)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KrylovRecord, preconditioner, outcome, iterations, tolerance, residual,
                                   setup_seconds, preconditioner_nonzeros)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MessageRecord, sent, bytes_sent, received, bytes_received)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelRecord, machine, predicted_seconds, predicted_solve_seconds,
                                   predicted_vector_seconds, tuning_seconds, simulated, ruled_out, reasons)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MachineRecord, host, processor, mpi, processors, memory_bytes)

// The totals over the kinds of messages within and between layers have their own fields, for readers that
// need no more. They exclude the messages that carry b and x, so they do not depend on where the caller has
// them.
void to_json(nlohmann::json& json, const RankRecord& r) {
  json = {{"rank", r.rank},
          {"x", r.x},
          {"y", r.y},
          {"z", r.z},
          {"l_seconds", r.l_seconds},
          {"u_seconds", r.u_seconds},
          {"floating_point_seconds", r.floating_point_seconds()},
          {"l_floating_point_seconds", r.l_floating_point_seconds},
          {"u_floating_point_seconds", r.u_floating_point_seconds},
          {"intra_grid_seconds", r.intra_grid_seconds()},
          {"inter_grid_seconds", r.inter_grid_seconds},
          {"vector_seconds", r.vector_seconds},
          {"idle_seconds", r.idle_seconds},
          {"vectors", r.messages[plan::index_of(plan::MessageKind::vectors)]}};
  MessageRecord all{};
  for (const plan::MessageKind kind : plan::sweep_kinds) {
    const MessageRecord& m = r.messages[plan::index_of(kind)];
    json["messages"][std::string(plan::name_of(kind))] = m;
    all.sent += m.sent;
    all.bytes_sent += m.bytes_sent;
    all.received += m.received;
    all.bytes_received += m.bytes_received;
  }
  json["messages_sent"] = all.sent;
  json["bytes_sent"] = all.bytes_sent;
  json["messages_received"] = all.received;
  json["bytes_received"] = all.bytes_received;
}

nlohmann::ordered_json to_json_object(const PlanRecord& plan) {
  nlohmann::ordered_json json = {{"grid", {plan.px, plan.py, plan.pz}},
                                 {"mapping", plan.mapping},
                                 {"schedule", plan.schedule},
                                 {"inter_grid", plan.inter_grid},
                                 {"tree", plan.tree},
                                 {"diagonal", plan.diagonal},
                                 {"transport", plan.transport},
                                 {"device", plan.device},
                                 {"threads", plan.threads},
                                 {"deterministic", plan.deterministic},
                                 {"dependencies", plan.dependencies},
                                 {"chosen_by", plan.chosen_by}};
  if (!plan.exchange_backend.empty()) json["exchange_backend"] = plan.exchange_backend;
  return json;
}

nlohmann::ordered_json to_json_object(const MatrixRecord& matrix) {
  return nlohmann::json(matrix);
}

nlohmann::ordered_json to_json_object(const MachineRecord& machine) {
  return nlohmann::json(machine);
}

std::string to_text(const nlohmann::ordered_json& json) {
  // JSON has no infinity: nlohmann writes null, which readers can tell from a number. File names may be any
  // bytes, JSON is UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

namespace {

// The factor record with the summary of the pivots, null where U is stored.
nlohmann::json factor_json(const FactorRecord& f) {
  nlohmann::json json = f;
  json["inertia"] = json["log_determinant"] = json["determinant_phase"] = nullptr;
  if (!f.pivots) return json;
  if (f.pivots->has_signs) json["inertia"] = {f.pivots->positive, f.pivots->negative, f.pivots->zero};
  json["log_determinant"] = f.pivots->log_modulus;
  json["determinant_phase"] = {f.pivots->phase.real(), f.pivots->phase.imag()};
  return json;
}

}  // namespace

nlohmann::ordered_json to_json_object(const RunRecord& record) {
  nlohmann::ordered_json json;
  json["version"] = record.version;
  json["predicted"] = record.predicted;
  json["matrix"] = to_json_object(record.matrix);
  json["factor"] = factor_json(record.factor);
  json["plan"] = to_json_object(record.plan);
  json["solve"] = nlohmann::json(record.solve);
  json["ranks"] = nlohmann::json(record.ranks);
  json["machine"] = to_json_object(record.machine);
  if (record.separators) json["separators"] = nlohmann::json(*record.separators);
  if (record.model) json["model"] = nlohmann::json(*record.model);
  if (record.krylov) json["krylov"] = nlohmann::json(*record.krylov);
  return json;
}

std::string to_json(const RunRecord& record) {
  return to_text(to_json_object(record));
}

}  // namespace trisweep::report
