#pragma once
// The run record: what a run did and measured, as one JSON document. SI units. The field names are a contract
// docs/run-record.md describes them.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "trisweep/engine/profile.hpp"
#include "trisweep/model/machine.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::report {

struct MatrixRecord {
  std::string name;
  Index rows = 0;
  Offset nonzeros = 0;
};

using FactorRecord = solve::FactorReport;
using SeparatorsRecord = solve::SeparatorsCost;

struct PlanRecord {
  Index px = 1, py = 1, pz = 1;
  std::string mapping, schedule, inter_grid, tree, diagonal, transport, device;
  std::string exchange_backend{};  // empty: the processors compute
  int threads = 1;                 // of each rank, in the sweeps
  bool deterministic = false;
  bool dependencies = true;
  std::string chosen_by = "user";  // or "model": what was not given
};
PlanRecord plan_record(const model::PlanChoice& choice, const std::string& device = "native");
// On a described machine.
PlanRecord plan_record(const model::PlanChoice& choice, const model::Machine& machine);

// What the model said of the plan that was run.
struct ModelRecord {
  std::string machine;
  double predicted_seconds = 0;         // with b and x at home
  double predicted_solve_seconds = 0;   // from b to x as the ranks have them
  double predicted_vector_seconds = 0;  // of those: bringing b in and x out
  double tuning_seconds = 0;            // real time, of predicting it and the plans it was chosen from
  Index simulated = 0;                  // plans
  Index ruled_out = 0;                  // plans, by their lower bounds
  std::vector<std::string> reasons;
};

ModelRecord model_record(const solve::ModelAdvice& advice);

struct SolveRecord {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Index nrhs = 1;
  std::string op, precision, method;
  int repeats = 1;
  double setup_seconds = 0;         // until the first solve can begin: the next two, and distributing A and b
  double distribution_seconds = 0;  // of the factors to their ranks
  double plan_seconds = 0;          // the plan and its buffers
  double panel_bytes = 0;           // of the distributed factors, over all ranks, with what layers replicate
  double panel_bytes_max = 0;       // of the rank with most of them
  // One solve with all right-hand sides, the slowest rank's; of its parts, too, the median of the repeats.
  double seconds_min = 0, seconds_median = 0;
  double l_seconds = 0, u_seconds = 0, inter_grid_seconds = 0, vector_seconds = 0;
  // Of the answer (solve/refinement.hpp); not a number where there is none.
  double backward_error = unknown;                // normwise
  double componentwise_backward_error = unknown;  // what the answer is judged by
  double arioli_demmel_duff_backward_error = unknown;
  double solution_condition = unknown;   // cond(op(A), x), of the right-hand side with the largest error
  double forward_error_bound = unknown;  // of x, relative to its largest entry
  double componentwise_forward_error_bound = unknown;  // of each entry of x, relative to itself
  int refinement_steps = 0;
  // Answers, refined and judged: the fastest and the median of the repeats, and the first, which also asks
  // whether the matrix is singular.
  double refinement_seconds = 0, answer_seconds_median = 0, first_answer_seconds = 0;
  Offset reductions = 0;        // blocking ones of the first answer
  std::vector<Index> unsolved;  // right-hand sides without an accepted solution
  // Equations in which only unknowns far below the largest have a part; how large their terms are at most,
  // relative to what is typical (solve/backward_error.hpp).
  double small_equations = 0, small_size = 0;
  // Solves whose passes save as much time as compressing took, if a pass takes as long as reading panels; 0
  // where they are as they are.
  double compression_pays_from = 0;
};

// Of an iterative method; of the right-hand side that took most iterations, and of the largest residual.
struct KrylovRecord {
  std::string preconditioner, outcome;
  int iterations = 0;
  double tolerance = 0;
  double residual = 0;                 // ||b - A x||_2 / ||b||_2
  double setup_seconds = 0;            // of the preconditioner
  Offset preconditioner_nonzeros = 0;  // over all ranks; 0 where it has no matrix of its own
};

struct MessageRecord {
  Offset sent, bytes_sent, received, bytes_received;
};

// Of one rank in one recorded solve. Trivially copyable: it is gathered from all ranks.
struct RankRecord {
  Index rank, x, y, z;
  double l_seconds, u_seconds, inter_grid_seconds, vector_seconds, idle_seconds;
  double l_floating_point_seconds, u_floating_point_seconds;       // of l_seconds, of u_seconds
  std::array<MessageRecord, plan::message_kinds.size()> messages;  // by plan::MessageKind

  double floating_point_seconds() const { return l_floating_point_seconds + u_floating_point_seconds; }
  double intra_grid_seconds() const { return l_seconds + u_seconds - floating_point_seconds(); }
};

// After a solve with a recorder.
RankRecord rank_record(Index rank, const distribution::ProcessGrid& grid, const engine::SolveProfile& last);

struct MachineRecord {
  std::string host, processor, mpi;
  int processors = 0;
  double memory_bytes = 0;
};
MachineRecord this_machine();

struct RunRecord {
  std::string version;
  bool predicted = false;
  MatrixRecord matrix;
  FactorRecord factor;
  PlanRecord plan;
  SolveRecord solve;
  std::vector<RankRecord> ranks;
  MachineRecord machine;
  std::optional<SeparatorsRecord> separators;
  std::optional<ModelRecord> model;
  std::optional<KrylovRecord> krylov;
};

std::string to_json(const RunRecord& record);

// A few lines for people: what was solved, how fast, how well.
std::string summary(const RunRecord& record);
// Why a run that failed numerically did so, and what can be done. `satisfied`: the answer satisfies its
// equations nevertheless, those of small unknowns perhaps excepted, and was written.
std::string verdict(const RunRecord& record, bool satisfied);
// What to know about an answer that solves the system accurately although the condition number is beyond
// 1 / epsilon.
std::string caution(const RunRecord& record);

}  // namespace trisweep::report
