#include "krylov_options.hpp"

#include <fmt/format.h>

#include <limits>

#include "refuse.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"

namespace trisweep::cli {

void add_pipelining_options(CLI::App& sub, krylov::KrylovOptions& options) {
  sub.add_option_function<std::string>(
         "--overlap",
         [&options](const std::string& name) {
           options.overlap = find_named(krylov::overlaps(), "overlap", name).overlap;
         },
         "Communication overlap of pipelined-bicgstab: block: none; pipe1: reductions overlap with products; "
         "pipe2 (default): also allgathers with vector updates")
      ->check(CLI::IsMember(names_of(krylov::overlaps())));
  sub.add_option("--replace-every", options.replace_every,
                 "Residual replacement period of pipelined-bicgstab, in iterations; 0: never")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
}

void check_pipelining_options(const CLI::App& sub, const std::string& method) {
  if (method != "pipelined-bicgstab")
    refuse(sub, {"--overlap", "--replace-every"}, "--method " + method, "use --method pipelined-bicgstab");
}

void check_tolerance(const char* option, double tolerance, double epsilon) {
  constexpr double double_epsilon = std::numeric_limits<double>::epsilon();
  if (tolerance >= epsilon) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} {:.3g} is out of reach: {} precision has rounding errors of {:.1e}", option,
                          tolerance, epsilon > double_epsilon ? "single" : "double", epsilon),
              tolerance >= double_epsilon ? "use --precision double"
                                          : fmt::format("take {:.1e} or more", double_epsilon));
}

}  // namespace trisweep::cli
