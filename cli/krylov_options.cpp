#include "krylov_options.hpp"

#include "trisweep/core/named.hpp"

namespace trisweep::cli {

void add_pipelining_options(CLI::App& sub, krylov::BicgstabOptions& options) {
  sub.add_option_function<std::string>(
         "--overlap",
         [&options](const std::string& name) {
           options.overlap = find_named(krylov::overlaps(), "overlap", name).overlap;
         },
         "Of pipelined-bicgstab: block: no messages are hidden; pipe1: reductions behind products; pipe2 "
         "(the "
         "default): and what products gather behind updates of vectors")
      ->check(CLI::IsMember(names_of(krylov::overlaps())));
  sub.add_option("--replace-every", options.replace_every,
                 "Of pipelined-bicgstab: iterations after which its recurrences are made anew; 0: never")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
}

}  // namespace trisweep::cli
