#include "option_text.hpp"

#include <memory>

namespace trisweep::cli {
namespace {

// The choices in a type such as TEXT:{lu,ilu0,none}.
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  return open < close && close != std::string::npos
             ? CLI::detail::split(type.substr(open + 1, close - open - 1), ',')
             : std::vector<std::string>{};
}

}  // namespace

std::vector<OptionText> options_of(const CLI::App& command) {
  const CLI::Formatter help;
  std::vector<OptionText> texts;
  for (const CLI::Option* option : command.get_options()) {
    OptionText& text = texts.emplace_back();
    text.is_positional = option->get_positional();
    if (text.is_positional) text.names.push_back(option->get_name(true));
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    if (option->get_expected_max() > 0) text.value = CLI::detail::trim_copy(help.make_option_opts(option));
    text.description = option->get_description();
    text.choices = choices_of(option->get_type_name());
  }
  return texts;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string usage_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  std::string text = CLI::Formatter().make_usage(
      &command, parent == nullptr ? command.get_name() : parent->get_name() + " " + command.get_name());
  CLI::detail::trim(text);
  return text.substr(text.find(':') + 2);
}

}  // namespace trisweep::cli
