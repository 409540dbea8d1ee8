#pragma once
// The run record: what a run did and measured, as one JSON document. SI units. The field names are a
// contract: docs/run-record.md describes them, and these members have the same names.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "trisweep/engine/profile.hpp"
#include "trisweep/model/machine.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::report {

// The matrix of the system.
struct MatrixRecord {
  std::string name;     // of its file
  Index rows = 0;       // and columns
  Offset nonzeros = 0;  // stored entries; of a symmetric file both halves
};

using FactorRecord = solve::FactorReport;
using SeparatorsRecord = solve::SeparatorsCost;

// The choice on each axis of the plan, by the names of the command's options.
struct PlanRecord {
  Index px = 1;                    // rows of the process grid
  Index py = 1;                    // columns
  Index pz = 1;                    // layers
  std::string mapping;             // which rank owns which block
  std::string schedule;            // when layers exchange
  std::string inter_grid;          // how layers exchange
  std::string tree;                // shape of broadcasts and reductions
  std::string diagonal;            // which diagonal blocks are inverted
  std::string transport;           // how messages travel
  std::string device;              // what computes
  std::string exchange_backend{};  // empty: the CPUs compute
  int threads = 1;                 // of each rank, in the sweeps
  bool deterministic = false;      // contributions are added in a fixed order
  bool dependencies = true;        // false: ignored, to study their cost; no answer
  std::string chosen_by = "user";  // or "model", for choices not given
};
// The record of `choice` on the machine at hand, where `device` computes. Throws only std::bad_alloc, like
// all functions here.
PlanRecord plan_record(const model::PlanChoice& choice, const std::string& device = "native");
// The same on a described machine.
PlanRecord plan_record(const model::PlanChoice& choice, const model::Machine& machine);

// The model's prediction for the plan that was run.
struct ModelRecord {
  std::string machine;                  // the description used for the prediction
  double predicted_seconds = 0;         // with b and x at home
  double predicted_solve_seconds = 0;   // from b to x where the callers have them
  double predicted_vector_seconds = 0;  // of those: bringing b in and x out
  double tuning_seconds = 0;            // wall-clock time of predicting all plans considered
  Index simulated = 0;                  // plans
  Index ruled_out = 0;                  // plans, by their lower bounds
  std::vector<std::string> reasons;     // why this plan
};

// The record of the model's `advice`. Throws only std::bad_alloc.
ModelRecord model_record(const solve::ModelAdvice& advice);

// Times and errors of the solve; times are the slowest rank's.
struct SolveRecord {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  // not a number, null in JSON
  Index nrhs = 1;                   // right-hand sides, solved at once
  std::string op;                   // "N": A x = b, "T": A^T x = b, "H": A^H x = b
  std::string precision;            // "double", "float" or "mixed"
  std::string method;               // "direct", or a Krylov method's name
  int repeats = 1;                  // timed solves
  double setup_seconds = 0;         // until the first solve can begin: the next two, and distributing A
  double distribution_seconds = 0;  // moving the factors to their ranks
  double plan_seconds = 0;          // the plan and its buffers
  double panel_bytes = 0;           // of the distributed factors, over all ranks, with what layers replicate
  double panel_bytes_max = 0;       // of the rank with the most bytes
  // One solve with all right-hand sides; the times of its parts are medians of the repeats, too.
  double seconds_min = 0;         // the fastest of the repeats
  double seconds_median = 0;      // their median
  double l_seconds = 0;           // forward sweep
  double u_seconds = 0;           // backward sweep, and the diagonal blocks
  double inter_grid_seconds = 0;  // exchange between layers
  double vector_seconds = 0;      // bringing b in and x out
  // Accuracy of the answer (solve/refinement.hpp); NaN if there is none.
  double backward_error = unknown;                     // normwise
  double componentwise_backward_error = unknown;       // what the answer is judged by
  double arioli_demmel_duff_backward_error = unknown;  // the same with a denominator that does not vanish
  double solution_condition = unknown;   // cond(op(A), x), of the right-hand side with the largest error
  double forward_error_bound = unknown;  // of x, relative to its largest entry
  double componentwise_forward_error_bound = unknown;  // of each entry of x, relative to itself
  int refinement_steps = 0;                            // corrections that were kept
  double refinement_seconds = 0;     // of the fastest answer of the repeats, with refinement and verdict
  double answer_seconds_median = 0;  // of the median answer
  double first_answer_seconds = 0;   // of the first, which also tests whether the matrix is singular
  Offset reductions = 0;             // blocking ones of the first answer
  std::vector<Index> unsolved;       // right-hand sides without an accepted solution
  // Number of equations that have only unknowns far below the largest (solve/backward_error.hpp).
  double small_equations = 0;
  double small_size = 0;   // the largest size of their terms, relative to the typical one
  Index rows = 0;          // of x, if only some were requested
  double panel_share = 1;  // fraction of the factors' entries read by first sweeps (solve/answer.hpp)
  bool of_sample = false;  // the errors are those of a sample with the same factors
  // The number of solves after which compression has saved the time that it took, if a pass takes as long as
  // reading the panels; 0 for uncompressed panels.
  double compression_pays_from = 0;
};

// Results of an iterative method: the most iterations and the largest residual of any right-hand side.
struct KrylovRecord {
  std::string preconditioner;          // its name
  std::string outcome;                 // "converged", "not converged", "breakdown" or "stagnated"
  int iterations = 0;                  // of the method
  double tolerance = 0;                // of the residual, as requested
  double residual = 0;                 // ||b - A x||_2 / ||b||_2
  double setup_seconds = 0;            // of the preconditioner
  Offset preconditioner_nonzeros = 0;  // over all ranks; 0 if it has no matrix of its own
};

// Messages of one kind, of one rank.
struct MessageRecord {
  Offset sent;            // messages
  Offset bytes_sent;      // their payload
  Offset received;        // messages
  Offset bytes_received;  // their payload
};

// One rank's part of a recorded solve. Trivially copyable, because it is gathered from all ranks.
struct RankRecord {
  Index rank;                                                      // in the communicator
  Index x;                                                         // row of the grid
  Index y;                                                         // column of the grid
  Index z;                                                         // layer of the grid
  double l_seconds;                                                // forward sweep, waiting included
  double u_seconds;                                                // backward sweep and diagonal blocks
  double inter_grid_seconds;                                       // exchange between layers
  double vector_seconds;                                           // bringing b in and x out
  double idle_seconds;                                             // without a task or message
  double l_floating_point_seconds;                                 // of l_seconds: products
  double u_floating_point_seconds;                                 // of u_seconds: products
  std::array<MessageRecord, plan::message_kinds.size()> messages;  // by plan::MessageKind

  // Products with panels and diagonal blocks.
  double floating_point_seconds() const { return l_floating_point_seconds + u_floating_point_seconds; }
  // The rest of both sweeps: messages within the layer, and waiting.
  double intra_grid_seconds() const { return l_seconds + u_seconds - floating_point_seconds(); }
};

// The record of `rank` in `grid`, from the profile `last` of a recorded solve. Throws nothing.
RankRecord rank_record(Index rank, const distribution::ProcessGrid& grid, const engine::SolveProfile& last);

// Where a run took place.
struct MachineRecord {
  std::string host;         // name of rank 0's node
  std::string processor;    // its model, as the system calls it
  std::string mpi;          // library and version
  int processors = 0;       // hardware threads of the node
  double memory_bytes = 0;  // of the node
};
// The record of this process's node; a processor that the system does not name is "unknown". Throws only
// std::bad_alloc.
MachineRecord this_machine();

// The whole record of a run.
struct RunRecord {
  std::string version;                         // of the library
  bool predicted = false;                      // times are the model's
  MatrixRecord matrix;                         // what was solved
  FactorRecord factor;                         // the factorization
  PlanRecord plan;                             // what was run
  SolveRecord solve;                           // times and errors
  std::vector<RankRecord> ranks;               // by rank
  MachineRecord machine;                       // where
  std::optional<SeparatorsRecord> separators;  // what inverting whole separators costs
  std::optional<ModelRecord> model;            // if the model has chosen or predicted
  std::optional<KrylovRecord> krylov;          // of an iterative method
};

// The JSON document; NaN and infinities become null. Throws only std::bad_alloc, like the functions below.
std::string to_json(const RunRecord& record);

// A few lines for people: what was solved, how fast, how well. Throws as to_json().
std::string summary(const RunRecord& record);
// The same for a factorization that was saved in the folder `output`.
std::string factor_summary(const RunRecord& record, const std::string& output);
// Why a run failed numerically, and what can be done. `satisfied`: the answer nevertheless satisfies its
// equations, except perhaps those of small unknowns, and was written. Throws as to_json().
std::string verdict(const RunRecord& record, bool satisfied);
// A warning about an answer that solves the system accurately although the condition number exceeds
// 1 / epsilon. Throws as to_json().
std::string caution(const RunRecord& record);

}  // namespace trisweep::report
