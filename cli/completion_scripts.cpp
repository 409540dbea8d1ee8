// Scripts that complete the command line in bash, zsh and fish. They contain all words, since running the
// command at each key press would start MPI each time.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "external.hpp"
#include "option_text.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/report/text.hpp"

namespace trisweep::cli {
namespace {

using report::shell_quoted;

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  return CLI::detail::find_and_replace(std::move(text), from, to);
}

std::vector<std::string> dashed_names(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options)
    if (!option.is_positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string bash_case(const CLI::App& command) {
  const auto options = options_of(command);
  std::string text = fmt::format("    {})\n      case $before in\n", command.get_name());
  std::vector<std::string> words;
  for (const OptionText& option : options) {
    if (option.is_positional) words.insert(words.end(), option.choices.begin(), option.choices.end());
    if (!option.is_positional && !option.value.empty())
      text += fmt::format("        {}) words='{}' ;;\n", fmt::join(option.names, " | "),
                          fmt::join(option.choices, " "));
  }
  return text + fmt::format(
                    "        *) if [[ $current == -* ]]; then words='{}'; else words='{}'; fi ;;\n"
                    "      esac\n      ;;\n",
                    fmt::join(dashed_names(options), " "), fmt::join(words, " "));
}

// Where no word fits, bash completes file names.
std::string bash_script(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : commands_of(app)) {
    names += command->get_name() + " ";
    cases += bash_case(*command);
  }
  return fmt::format(R"(# bash completion for trisweep
_trisweep() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} words=
  if ((COMP_CWORD == 1)); then command=; fi
  case $command in
    '') words='{}{} {}' ;;
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _trisweep trisweep
)",
                     names, fmt::join(programs_of_python_package, " "),
                     fmt::join(dashed_names(options_of(app)), " "), cases);
}

std::string zsh_argument(const OptionText& option) {
  const std::string values =
      option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  if (option.is_positional) return shell_quoted("*:" + option.names.front() + ":" + values);
  std::string what = option.description;
  for (const char* special : {"\\", "[", "]", ":"})
    what = with_replaced(what, special, std::string("\\") + special);
  const std::string value = option.value.empty() ? "" : ":value:" + values;
  std::string text;
  for (const std::string& name : option.names)
    text += (text.empty() ? "" : " ") + shell_quoted(fmt::format("{}[{}]{}", name, what, value));
  return text;
}

std::string zsh_script(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : commands_of(app)) {
    names += fmt::format("    {}\n", shell_quoted(command->get_name() + ":" + command->get_description()));
    cases += fmt::format("    {}) _arguments", command->get_name());
    for (const OptionText& option : options_of(*command)) cases += " \\\n      " + zsh_argument(option);
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef trisweep
compdef _trisweep trisweep
_trisweep() {{
  local -a commands=(
{}    {}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}    *) _files ;;
  esac
}}
# Read by `source` the function waits for its call; read as a function of fpath this is the first one.
if [[ $funcstack[1] == _trisweep ]]; then _trisweep; fi
)",
                     names, fmt::join(programs_of_python_package, " "), cases);
}

std::string fish_option(const std::string& command, const OptionText& option) {
  std::string text = "complete -c trisweep -n " + shell_quoted("__fish_seen_subcommand_from " + command);
  if (option.is_positional) {
    return option.choices.empty() ? "" : fmt::format("{} -a '{}'\n", text, fmt::join(option.choices, " "));
  }
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  else if (!option.value.empty())
    text += " -r";
  return text + " -d " + shell_quoted(option.description) + "\n";
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# fish completion for trisweep\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c trisweep -f -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                        shell_quoted(command->get_description()));
    for (const OptionText& option : options_of(*command)) text += fish_option(command->get_name(), option);
  }
  return text + fmt::format("complete -c trisweep -f -n __fish_use_subcommand -a '{}'\n",
                            fmt::join(programs_of_python_package, " "));
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
  return shell == "bash" ? bash_script(app) : shell == "zsh" ? zsh_script(app) : fish_script(app);
}

}  // namespace trisweep::cli
