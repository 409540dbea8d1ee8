// trisweep gallery KIND --n N [-o A.mtx]: writes a test matrix.

#include "gallery/gallery.hpp"

#include <fmt/format.h>

#include <limits>

#include "command.hpp"
#include "outputs.hpp"
#include "refuse.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::cli {
namespace {

std::string list_of_kinds() {
  std::string text = "Kinds:\n";
  for (const auto& kind : gallery::kinds()) text += fmt::format("  {:<16} {}\n", kind.name, kind.description);
  return text;
}

struct GalleryCommand {
  std::string kind;
  std::string output;
  gallery::RecipeOptions options;
  const CLI::App* sub = nullptr;

  int operator()(const Context& context) const {
    std::string line;
    mpi::agree_on_error(context.world, [&] {
      if (context.is_root()) line = write();
    });
    context.terminal.print_beside({output}, line);
    return 0;
  }

  // Writes the matrix; returns a line that describes it.
  std::string write() const {
    OutputFile file = open_output(output.empty() ? kind + ".mtx" : output).value();
    const auto& kinds = gallery::kinds();
    const auto chosen = std::ranges::find(kinds, kind, &gallery::Kind::name);
    if (chosen != kinds.end() && !chosen->uses_seed)
      refuse(*sub, {"--seed"}, kind + ", where nothing is random", "leave it out");
    return std::visit(
        [&](const auto& a) {
          matrix::write_matrix_market(file, a);
          file.commit();
          return fmt::format("{}: {} rows, {} columns, {} nonzeros\n", file.target().string(), a.rows(),
                             a.cols(), a.nonzeros());
        },
        gallery::make_matrix(kind, options));
  }
};

}  // namespace

void add_gallery(CLI::App& app, Run& run) {
  auto command = std::make_shared<GalleryCommand>();
  CLI::App* sub = app.add_subcommand("gallery", "Write a test matrix as a Matrix Market file");
  command->sub = sub;
  sub->footer(list_of_kinds());
  sub->add_option("kind", command->kind, "Kind of matrix; see the list below")->required();
  sub->add_option("--n", command->options.n, "Size parameter N of the kind")
      ->check(CLI::Range(Index{1}, std::numeric_limits<Index>::max()))
      ->required();
  sub->add_option("-o,--output", command->output, "File to write (default: KIND.mtx)");
  sub->add_option("--seed", command->options.seed, "Random seed of kinds with random values or structure");
  sub->add_flag("--complex", command->options.complex, "Complex variant, for kinds that have one");
  sub->callback([command, &run] { run = *command; });
}

}  // namespace trisweep::cli
