#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/commands/pages.hpp"

namespace kreplay::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

bool takes_file(const CLI::Option& option) {
  const std::string kind = option.get_type_name();
  for (const char* file : {"FILE", "PATH", "LIB", "DIR"})
    if (kind.rfind(file, 0) == 0) return true;
  return false;
}

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : visible_commands(app)) names.push_back(command->get_name());
  return names;
}

/// For zsh: inside double quotes, colons and brackets separate parts.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\"\\$`[]:").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// For fish: inside single quotes.
std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// The line of one option, with all its spellings.
std::string fish_option(const std::string& command, const CLI::Option& option) {
  std::string line = "complete -c kreplay -n '__kreplay_at " + command + "'";
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  const std::vector<std::string> choices = choices_of(option);
  if (!choices.empty())
    line += " -x -a '" + joined(choices, " ") + "'";
  else if (takes_value(option))
    line += takes_file(option) ? " -r -F" : " -x";
  return line + " -d '" + fish_text(option.get_description()) + "'\n";
}

}  // namespace

std::string words_of(const CLI::App& command, const char* separator) {
  if (command.get_parent() == nullptr) return "";
  const std::string before = words_of(*command.get_parent(), separator);
  return before.empty() ? command.get_name() : before + separator + command.get_name();
}

std::vector<const CLI::App*> visible_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  commands.erase(std::remove_if(commands.begin(), commands.end(),
                                [](const CLI::App* command) { return command->get_group().empty(); }),
                 commands.end());
  return commands;
}

std::vector<const CLI::App*> all_visible_commands(const CLI::App& app) {
  std::vector<const CLI::App*> all;
  for (const CLI::App* command : visible_commands(app)) {
    all.push_back(command);
    const auto below = all_visible_commands(*command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::vector<const CLI::Option*> visible_options(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string kind = option.get_type_name();
  const size_t begin = kind.find(":{");
  const size_t end = kind.find('}');
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos || end < begin) return choices;
  std::istringstream list(kind.substr(begin + 2, end - begin - 2));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string bash_completion(const CLI::App& app) {
  const std::vector<std::string> commands = names_below(app);
  std::string options, values, nested;
  for (const CLI::App* command : all_visible_commands(app)) {
    const std::string name = words_of(*command);
    std::vector<std::string> all;
    const std::vector<std::string> below = names_below(*command);
    if (!below.empty()) {
      const std::string list = joined(below, " ");
      nested += fmt::format(
          "    {0}) case \" {1} \" in\n      *\" $sub \"*) command=\"{0} $sub\" ;;\n"
          "      *) COMPREPLY=($(compgen -W \"{1} --help\" -- \"$word\")); return ;;\n    esac ;;\n",
          name, list);
    }
    for (const CLI::Option* option : visible_options(*command)) {
      const std::vector<std::string> names = names_of(*option);
      all.insert(all.end(), names.begin(), names.end());
      if (!takes_value(*option)) continue;
      for (const std::string& spelling : names) {
        const std::vector<std::string> choices = choices_of(*option);
        values += fmt::format("    \"{} {}\") ", name, spelling);
        if (!choices.empty())
          values += fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); ", joined(choices, " "));
        else if (takes_file(*option))
          values += "COMPREPLY=($(compgen -f -- \"$word\")); ";
        values += "return ;;\n";
      }
    }
    options += "    \"" + name + "\") options=\"" + joined(all, " ") + "\" ;;\n";
  }
  return "# bash completion for kreplay; made from its options\n"
         "_kreplay() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
         "command=${COMP_WORDS[1]}\n"
         "  local options= i\n  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         joined(commands, " ") +
         " --help --version\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  # Behind -- the words are of another program.\n"
         "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "    if [ \"${COMP_WORDS[i]}\" = -- ]; then\n"
         "      if declare -F _command_offset >/dev/null; then\n"
         "        _command_offset $((i + 1))\n"
         "      else\n"
         "        COMPREPLY=($(compgen -c -f -- \"$word\"))\n"
         "      fi\n"
         "      return\n"
         "    fi\n"
         "  done\n"
         "  if [ \"$COMP_CWORD\" -eq 2 ]; then local sub=; else local sub=${COMP_WORDS[2]}; fi\n"
         "  case \"$command\" in\n" +
         nested +
         "  esac\n"
         "  case \"$command $before\" in\n" +
         values +
         "  esac\n"
         "  case \"$command\" in\n" +
         options +
         "  esac\n"
         "  if [ \"${word#-}\" != \"$word\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _kreplay kreplay\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string nested, lines;
  for (const CLI::App* command : visible_commands(app))
    lines += "complete -c kreplay -n '__kreplay_at' -f -a " + command->get_name() + " -d '" +
             fish_text(command->get_description()) + "'\n";
  for (const CLI::App* command : all_visible_commands(app)) {
    const std::string words = words_of(*command);
    const std::vector<const CLI::App*> below = visible_commands(*command);
    if (!below.empty()) nested += (nested.empty() ? "" : " ") + command->get_name();
    for (const CLI::App* inner : below)
      lines += "complete -c kreplay -n '__kreplay_at " + words + "' -f -a " + inner->get_name() + " -d '" +
               fish_text(inner->get_description()) + "'\n";
    for (const CLI::Option* option : visible_options(*command)) lines += fish_option(words, *option);
  }
  return "# fish completion for kreplay; made from its options\n\n"
         "# The words of the command line are those of this subcommand, and not yet of another program.\n"
         "function __kreplay_at\n"
         "    set -l words (commandline -opc)[2..]\n"
         "    contains -- -- $words; and return 1\n"
         "    set -l at $words[1]\n"
         "    contains -- \"$at\" " +
         nested +
         "; and set at $words[1..2]\n"
         "    test \"$at\" = \"$argv\"\n"
         "end\n\n"
         "# Behind -- they are of another program.\n"
         "function __kreplay_program\n"
         "    set -l words (commandline -opc) (commandline -ct)\n"
         "    set -l at (contains -i -- -- $words); or return 1\n"
         "    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-2]) $words[-1])\n"
         "end\n\n"
         "complete -c kreplay -n 'contains -- -- (commandline -opc)' -x -a '(__kreplay_program)'\n"
         "complete -c kreplay -n '__kreplay_at' -l help -d 'Print this help message and exit'\n"
         "complete -c kreplay -n '__kreplay_at' -l version -d 'Display program version information and "
         "exit'\n" +
         lines;
}

std::string zsh_completion(const CLI::App& app) {
  std::string text =
      "#compdef kreplay\n# zsh completion for kreplay; made from its options\n\n_kreplay() {\n"
      "  local -a commands\n  commands=(\n";
  for (const CLI::App* command : visible_commands(app))
    text += "    \"" + zsh_text(command->get_name()) + ":" + zsh_text(command->get_description()) + "\"\n";
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n";
  for (const CLI::App* command : visible_commands(app)) {
    if (visible_commands(*command).empty()) continue;
    text += "  if [[ $command == " + command->get_name() + " ]]; then\n    if (( CURRENT == 2 )); then\n" +
            "      compadd -- " + joined(names_below(*command), " ") + "\n      return\n    fi\n" +
            "    command+=\" $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n";
  }
  text += "  case $command in\n";
  for (const CLI::App* command : all_visible_commands(app)) {
    text += "    (\"" + words_of(*command) + "\")\n      _arguments -S";
    for (const CLI::Option* option : visible_options(*command)) {
      for (const std::string& name : names_of(*option)) {
        text += " \\\n        \"" + name + "[" + zsh_text(option->get_description()) + "]";
        const std::vector<std::string> choices = choices_of(*option);
        if (takes_value(*option)) {
          text += ":value:";
          if (!choices.empty())
            text += "(" + joined(choices, " ") + ")";
          else if (takes_file(*option))
            text += "_files";
        }
        text += "\"";
      }
    }
    text += command->get_name() == "run" ? " \\\n        \"*::program:_normal\""
                                         : " \\\n        \"*:file:_files\"";
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n\n_kreplay \"$@\"\n";
}

}  // namespace kreplay::cli
