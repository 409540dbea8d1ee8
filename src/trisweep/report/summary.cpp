#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/model/precision.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/report/separators.hpp"
#include "trisweep/report/text.hpp"

namespace trisweep::report {
namespace {

// Mentions delayed pivots only if there are any: most matrices have none.
std::string pivots(const FactorRecord& f) {
  return (f.delayed_pivots > 0 ? fmt::format("{} delayed, ", f.delayed_pivots) : "") +
         counted(f.perturbed_pivots, "perturbed pivot");
}

std::string line(const char* name, const std::string& value) {
  return fmt::format("{:<9} {}\n", name, value);
}

// Empty for definite matrices, whose inertia is no news.
std::string inertia_line(const FactorRecord& f) {
  if (!f.pivots || !f.pivots->has_signs || f.pivots->negative + f.pivots->zero == 0) return "";
  return line("inertia", fmt::format("{} positive, {} negative and {} zero eigenvalues", f.pivots->positive,
                                     f.pivots->negative, f.pivots->zero));
}

// `condition`: the words on the condition estimate.
std::string factor_lines(const RunRecord& r, const std::string& condition) {
  const auto took = [&](double seconds) { return r.factor.given ? "before this run" : duration(seconds); };
  return line("matrix", fmt::format("{}: {} rows, {}", r.matrix.name, r.matrix.rows,
                                    counted(r.matrix.nonzeros, "nonzero"))) +
         line("analysis",
              fmt::format("{}: {}, fill {:.1f} x", took(r.factor.analysis_seconds),
                          counted(r.factor.supernodes, "supernode"),
                          double(r.factor.nonzeros_l + r.factor.nonzeros_u) / double(r.matrix.nonzeros))) +
         line("factor", fmt::format("{}: {}{}, {}, {}{}", took(r.factor.seconds),
                                    numeric::find_kind(r.factor.kind).title,
                                    r.factor.factorization == "own" ? "" : " by " + r.factor.factorization,
                                    bytes(double(r.factor.bytes)), pivots(r.factor), condition)) +
         inertia_line(r.factor);
}

}  // namespace

std::string factor_summary(const RunRecord& r, const std::string& output) {
  return factor_lines(r, "") +
         line("output", fmt::format("{0}: solve with it by trisweep solve --factors {0}", output));
}

std::string summary(const RunRecord& r) {
  std::string text = factor_lines(
      r, r.plan.dependencies ? fmt::format(", condition about {:.1e}", r.factor.condition_estimate) : "");
  const auto line = [&](const char* name, const std::string& value) { text += report::line(name, value); };
  if (r.factor.block_stages > 1)
    line("", fmt::format("of the diagonal blocks of the block triangular form, solved in {} stages; {} in "
                         "off-diagonal blocks",
                         r.factor.block_stages, counted(r.factor.nonzeros_off_diagonal, "nonzero")));
  if (r.factor.second_try)
    line("", "conservative pivoting in full precision, since the first factors did not lead to a solution");
  if (r.factor.compression_eps > 0)
    line("", fmt::format("compressed to {:.1e} in {}, from {}", r.factor.compression_eps,
                         duration(r.factor.compression_seconds), bytes(double(r.factor.uncompressed_bytes))));
  if (r.factor.compression_undone)
    line("", "uncompressed, since the compressed factors did not lead to a solution");
  if (r.separators) line("", "inverted separators take " + separators_in_words(r));
  line("setup", fmt::format("{}: factors to their ranks {} ({} in all, {} on the fullest), plan {}",
                            duration(r.solve.setup_seconds), duration(r.solve.distribution_seconds),
                            bytes(r.solve.panel_bytes), bytes(r.solve.panel_bytes_max),
                            duration(r.solve.plan_seconds)));
  const std::string answer =
      r.solve.answer_seconds_median > 0
          ? fmt::format("; with refinement and error estimate {}", duration(r.solve.answer_seconds_median))
          : "";
  line("solve", fmt::format("{}{}: {}, op {}, grid {}x{}x{}, {} trees (L {}, U {}, inter-grid {}){}",
                            duration(r.solve.seconds_median),
                            r.solve.repeats > 1 ? fmt::format(", the median of {}", r.solve.repeats) : "",
                            counted(r.solve.nrhs, "right-hand side"), r.solve.op, r.plan.px, r.plan.py,
                            r.plan.pz, r.plan.tree, duration(r.solve.l_seconds), duration(r.solve.u_seconds),
                            duration(r.solve.inter_grid_seconds), answer));
  if (r.model) {
    line("plan", fmt::format("{}, inverted {}, {}: {} predicted on {}", r.plan.mapping, r.plan.diagonal,
                             r.plan.transport, duration(r.model->predicted_seconds), r.model->machine));
    for (const std::string& reason : r.model->reasons) line("", reason);
  }
  if (r.solve.panel_share < 1 || r.solve.rows > 0)
    line("sparse",
         fmt::format("{}, from {:.0f} % of the factors' entries{}",
                     r.solve.rows > 0 ? counted(r.solve.rows, "row") + " of the solution" : "solution",
                     100 * r.solve.panel_share,
                     r.solve.of_sample ? "; accuracy is that of a sample with these factors" : ""));
  if (!r.plan.dependencies) {
    line("accuracy", "none: the solve did not wait for its dependencies");
    return text;
  }
  const bool bounded = std::isfinite(r.solve.forward_error_bound), small = r.solve.small_equations > 0;
  line("accuracy",
       fmt::format(
           "{} {:.1e} after {}{}", small ? "backward error" : "componentwise backward error",
           small ? r.solve.arioli_demmel_duff_backward_error : r.solve.componentwise_backward_error,
           counted(r.solve.refinement_steps, "refinement step"),
           bounded ? fmt::format("; relative error at most about {:.1e} (max norm), {:.1e} (componentwise)",
                                 r.solve.forward_error_bound, r.solve.componentwise_forward_error_bound)
                   : ""));
  if (small)
    line("",
         fmt::format("{} {} only unknowns below {:.1e} of the largest, which need not have a correct digit",
                     counted(static_cast<Offset>(r.solve.small_equations), "equation"),
                     r.solve.small_equations == 1 ? "has" : "have", r.solve.small_size));
  return text;
}

namespace {

std::string precision_of(const RunRecord& r) {
  return model::find_precision(r.solve.precision).single_system ? "single" : "double";
}

std::string singular(const RunRecord& r, bool satisfied) {
  return fmt::format(
      "{} is numerically singular in {} precision: its condition number is about {:.1e} ({}); {}\n"
      "  remedy: {}look for redundant equations and for unknowns that nothing determines, such as a missing "
      "boundary condition",
      r.matrix.name, precision_of(r), r.factor.condition_estimate,
      counted(r.factor.perturbed_pivots, "perturbed pivot"),
      fmt::format("the solution {} (backward error {:.1e})",
                  satisfied ? "is one of many that satisfy the equations" : "does not satisfy its equations",
                  r.solve.arioli_demmel_duff_backward_error),
      model::find_precision(r.solve.precision).single_system ? "use --precision double, or " : "");
}

// Names the unsolved ones of several right-hand sides.
std::string unsolved(const RunRecord& r) {
  if (r.solve.nrhs == 1) return "";
  constexpr std::size_t named = 5;
  std::string text = fmt::format("of {} of {} right-hand sides (", r.solve.unsolved.size(), r.solve.nrhs);
  for (std::size_t i = 0; i < std::min(named, r.solve.unsolved.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", r.solve.unsolved[i] + 1);
  return text + (r.solve.unsolved.size() > named ? ", ...) " : ") ");
}

template <class Real>
std::string normal_numbers() {
  using Limits = std::numeric_limits<Real>;
  return fmt::format("{:.1e} to {:.1e}", Limits::min(), Limits::max());
}

// The verdict on an answer that does not satisfy its equations.
std::string inaccurate(const RunRecord& r) {
  const bool single = model::find_precision(r.solve.precision).single_system;
  const std::string remedy = model::find_precision(r.solve.precision).single_factors
                                 ? "use --precision double"
                             : r.plan.diagonal != "supernodes" ? "try --diagonal supernodes"
                             : r.factor.perturbed_pivots > 0   ? "try another --ordering"
                                                               : "allow more steps with --refine";
  if (!std::isfinite(r.solve.arioli_demmel_duff_backward_error)) {
    const std::string range = single ? normal_numbers<float>() : normal_numbers<double>();
    return fmt::format("the solution {}is not within the range of {} precision, {}\n  remedy: {}",
                       unsolved(r), precision_of(r), range,
                       single ? remedy : "choose units in which b and x are");
  }
  return fmt::format(
      "the solution {}does not satisfy its equations: backward error {:.1e} after {} ({}, condition about "
      "{:.1e})\n  remedy: {}",
      unsolved(r), r.solve.arioli_demmel_duff_backward_error,
      counted(r.solve.refinement_steps, "refinement step"),
      counted(r.factor.perturbed_pivots, "perturbed pivot"), r.factor.condition_estimate, remedy);
}

}  // namespace

std::string verdict(const RunRecord& r, bool satisfied) {
  return r.factor.numerically_singular ? singular(r, satisfied) : inaccurate(r);
}

std::string caution(const RunRecord& r) {
  return fmt::format(
      "the solution satisfies its equations (backward error {:.1e}), but a change of the data "
      "in the "
      "last digit may change every digit of some unknowns: the relative error of x is at most about {:.1e}, "
      "the condition "
      "number of {} about {:.1e}",
      r.solve.arioli_demmel_duff_backward_error, r.solve.forward_error_bound, r.matrix.name,
      r.factor.condition_estimate);
}

}  // namespace trisweep::report
