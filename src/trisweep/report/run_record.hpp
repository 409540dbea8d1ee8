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
  std::string inter_grid;          // how they do
  std::string tree;                // shape of broadcasts and reductions
  std::string diagonal;            // which diagonal blocks are inverted
  std::string transport;           // how messages travel
  std::string device;              // what computes
  std::string exchange_backend{};  // empty: the processors compute
  int threads = 1;                 // of each rank, in the sweeps
  bool deterministic = false;      // contributions are added in a fixed order
  bool dependencies = true;        // false: a study of their cost, without an answer
  std::string chosen_by = "user";  // or "model": what was not given
};
// The record of a choice on the machine at hand, where `device` computes. Throws std::bad_alloc alone, as all
// functions here.
PlanRecord plan_record(const model::PlanChoice& choice, const std::string& device = "native");
// The same on a described machine.
PlanRecord plan_record(const model::PlanChoice& choice, const model::Machine& machine);

// What the model said of the plan that was run.
struct ModelRecord {
  std::string machine;                  // whose description it was predicted with
  double predicted_seconds = 0;         // with b and x at home
  double predicted_solve_seconds = 0;   // from b to x as the ranks have them
  double predicted_vector_seconds = 0;  // of those: bringing b in and x out
  double tuning_seconds = 0;            // real time, of predicting it and the plans it was chosen from
  Index simulated = 0;                  // plans
  Index ruled_out = 0;                  // plans, by their lower bounds
  std::vector<std::string> reasons;     // why this plan
};

// The record of what the model has advised. Throws std::bad_alloc alone.
ModelRecord model_record(const solve::ModelAdvice& advice);

// Times and errors of the solve; times are the slowest rank's.
struct SolveRecord {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  // not a number: null
  Index nrhs = 1;                   // right-hand sides, solved at once
  std::string op;                   // "N": A x = b, "T": A^T x = b, "H": A^H x = b
  std::string precision;            // "double", "float" or "mixed"
  std::string method;               // "direct", or a Krylov method's name
  int repeats = 1;                  // timed solves
  double setup_seconds = 0;         // until the first solve can begin: the next two, and distributing A and b
  double distribution_seconds = 0;  // of the factors to their ranks
  double plan_seconds = 0;          // the plan and its buffers
  double panel_bytes = 0;           // of the distributed factors, over all ranks, with what layers replicate
  double panel_bytes_max = 0;       // of the rank with most of them
  // One solve with all right-hand sides; of its parts, too, the median of the repeats.
  double seconds_min = 0;         // the fastest of the repeats
  double seconds_median = 0;      // their median
  double l_seconds = 0;           // forward sweep
  double u_seconds = 0;           // backward sweep, and the diagonal blocks
  double inter_grid_seconds = 0;  // exchange between layers
  double vector_seconds = 0;      // bringing b in and x out
  // Of the answer (solve/refinement.hpp); not a number where there is none.
  double backward_error = unknown;                     // normwise
  double componentwise_backward_error = unknown;       // what the answer is judged by
  double arioli_demmel_duff_backward_error = unknown;  // the same with a denominator that does not vanish
  double solution_condition = unknown;   // cond(op(A), x), of the right-hand side with the largest error
  double forward_error_bound = unknown;  // of x, relative to its largest entry
  double componentwise_forward_error_bound = unknown;  // of each entry of x, relative to itself
  int refinement_steps = 0;                            // corrections that were kept
  double refinement_seconds = 0;     // of the fastest answer of the repeats, refined and judged
  double answer_seconds_median = 0;  // of their median
  double first_answer_seconds = 0;   // of the first, which also asks whether the matrix is singular
  Offset reductions = 0;             // blocking ones of the first answer
  std::vector<Index> unsolved;       // right-hand sides without an accepted solution
  // Equations in which only unknowns far below the largest have a part (solve/backward_error.hpp).
  double small_equations = 0;
  double small_size = 0;   // how large their terms are at most, relative to what is typical
  Index rows = 0;          // of x, where these alone were asked for
  double panel_share = 1;  // of the factors' entries that first sweeps have read (solve/answer.hpp)
  bool of_sample = false;  // the errors are those of a sample with the same factors
  // The number of solves whose passes save as much time as compressing took, if a pass takes as long as
  // reading panels; 0 where they are as they are.
  double compression_pays_from = 0;
};

// Of an iterative method; of the right-hand side that took most iterations, and of the largest residual.
struct KrylovRecord {
  std::string preconditioner;          // its name
  std::string outcome;                 // "converged", "not converged", "breakdown" or "stagnated"
  int iterations = 0;                  // of the method
  double tolerance = 0;                // of the residual, as asked for
  double residual = 0;                 // ||b - A x||_2 / ||b||_2
  double setup_seconds = 0;            // of the preconditioner
  Offset preconditioner_nonzeros = 0;  // over all ranks; 0 where it has no matrix of its own
};

// Messages of one kind, of one rank.
struct MessageRecord {
  Offset sent;            // messages
  Offset bytes_sent;      // their payload
  Offset received;        // messages
  Offset bytes_received;  // their payload
};

// Of one rank in one recorded solve. Trivially copyable: it is gathered from all ranks.
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

// Of `rank` in the grid, after a solve with a recorder. Throws nothing.
RankRecord rank_record(Index rank, const distribution::ProcessGrid& grid, const engine::SolveProfile& last);

// Where a run was.
struct MachineRecord {
  std::string host;         // name of rank 0's node
  std::string processor;    // its model, as the system calls it
  std::string mpi;          // library and version
  int processors = 0;       // hardware threads of the node
  double memory_bytes = 0;  // of the node
};
// Of the node that this process is on. Throws std::bad_alloc alone; what the system does not tell is empty.
MachineRecord this_machine();

// All that a run has to tell.
struct RunRecord {
  std::string version;                         // of the library
  bool predicted = false;                      // times are the model's
  MatrixRecord matrix;                         // what was solved
  FactorRecord factor;                         // the factorization
  PlanRecord plan;                             // what was run
  SolveRecord solve;                           // times and errors
  std::vector<RankRecord> ranks;               // in their order
  MachineRecord machine;                       // where
  std::optional<SeparatorsRecord> separators;  // what inverting whole separators costs
  std::optional<ModelRecord> model;            // where the model has chosen or predicted
  std::optional<KrylovRecord> krylov;          // of an iterative method
};

// The JSON document; what is not a number is null. Throws std::bad_alloc alone, as the functions below.
std::string to_json(const RunRecord& record);

// A few lines for people: what was solved, how fast, how well. Throws as to_json().
std::string summary(const RunRecord& record);
// The same of a factorization that was saved in the folder `output`.
std::string factor_summary(const RunRecord& record, const std::string& output);
// Why a run that failed numerically did so, and what can be done. `satisfied`: the answer satisfies its
// equations nevertheless, those of small unknowns perhaps excepted, and was written. Throws as to_json().
std::string verdict(const RunRecord& record, bool satisfied);
// What to know about an answer that solves the system accurately although the condition number is beyond
// 1 / epsilon. Throws as to_json().
std::string caution(const RunRecord& record);

}  // namespace trisweep::report
