// trisweep completion SHELL, trisweep manual [COMMAND] [-o FOLDER]: completion scripts and manual pages, made
// from the descriptions of the options.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "option_text.hpp"
#include "outputs.hpp"

namespace trisweep::cli {
namespace {

void write_text(const std::string& path, const std::string& text) {
  OutputFile file = open_output(path).value();
  file.write(text);
  file.commit();
}

struct CompletionCommand {
  const CLI::App* app;
  std::string shell;
  std::string output = "-";

  int operator()(const Context& context) const {
    mpi::agree_on_error(context.world, [&] {
      if (context.is_root()) write_text(output, completion(*app, shell));
    });
    return 0;
  }
};

struct ManualCommand {
  const CLI::App* app;
  std::string name;
  std::string folder;

  int operator()(const Context& context) const {
    mpi::agree_on_error(context.world, [&] {
      if (context.is_root()) run();
    });
    return 0;
  }

  void run() const {
    if (folder.empty()) return write_text("-", manual_page(*app, page_of()));
    write_text(folder + "/trisweep.1", manual_page(*app, *app));
    for (const CLI::App* command : commands_of(*app))
      write_text(fmt::format("{}/trisweep-{}.1", folder, command->get_name()), manual_page(*app, *command));
  }

  const CLI::App& page_of() const {
    if (name.empty()) return *app;
    const auto commands = commands_of(*app);
    const auto found = std::ranges::find(commands, name, &CLI::App::get_name);
    if (found == commands.end())
      throw Error(ErrorKind::usage, fmt::format("there is no command '{}'", name), "see trisweep --help");
    return **found;
  }
};

}  // namespace

void add_shell_support(CLI::App& app, Run& run) {
  auto completion = std::make_shared<CompletionCommand>(CompletionCommand{&app, {}});
  CLI::App* sub =
      app.add_subcommand("completion", "Print a script that completes the command line in a shell");
  sub->add_option("shell", completion->shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  sub->add_option("-o,--output", completion->output, "File to write (default: standard output)");
  sub->callback([completion, &run] { run = *completion; });

  auto manual = std::make_shared<ManualCommand>(ManualCommand{&app, {}, {}});
  sub = app.add_subcommand("manual", "Print a manual page, or write all of them");
  auto* name = sub->add_option("command", manual->name, "The command (default: the page of trisweep)");
  sub->add_option("-o,--output", manual->folder, "Folder to write all pages to")->excludes(name);
  sub->callback([manual, &run] { run = *manual; });
}

}  // namespace trisweep::cli
