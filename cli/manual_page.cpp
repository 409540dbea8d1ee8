// Manual pages in the format of man(7), made from the same texts as the help.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "option_text.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

// Escapes text so that roff finds no requests and escapes in it, and keeps its hyphens.
std::string roff_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string full_name(const CLI::App& app, const CLI::App& command, char between) {
  return &app == &command ? app.get_name() : app.get_name() + between + command.get_name();
}

std::string options_section(const CLI::App& command) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionText& option : options_of(command))
    text +=
        fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", roff_text(fmt::format("{}", fmt::join(option.names, ", "))),
                    roff_text(option.value), roff_text(option.description));
  return text;
}

std::string commands_section(const CLI::App& app) {
  std::string text = ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app))
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff_text(command->get_name()),
                        roff_text(command->get_description()));
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const CLI::App& command) {
  const bool is_general = &app == &command;
  const std::string name = full_name(app, command, '-');
  std::string text = fmt::format(".TH {} 1 \"\" \"Trisweep {}\"\n.SH NAME\n{} \\- {}\n", roff_text(name),
                                 trisweep::version(), roff_text(name), roff_text(command.get_description()));
  text += fmt::format(".SH SYNOPSIS\n{}\n", roff_text(usage_of(command)));
  if (is_general) text += commands_section(app);
  text += options_section(command);
  if (const std::string footer = command.get_footer(); !footer.empty())
    text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff_text(footer));
  text +=
      ".SH EXIT STATUS\n0: done; 1: a numerical failure; 2: wrong use or bad input, or something is "
      "missing.\n";
  if (!is_general) return text + ".SH SEE ALSO\n.BR trisweep (1)\n";
  text += ".SH SEE ALSO\n";
  for (const CLI::App* other : commands_of(app))
    text += fmt::format(".BR {} (1)\n", roff_text(full_name(app, *other, '-')));
  return text;
}

}  // namespace trisweep::cli
