#include "cli/commands/suggest.hpp"

#include <algorithm>

#include "cli/commands/pages.hpp"

namespace kreplay::cli {
namespace {

std::string calling(const CLI::App& command) {
  const std::string words = words_of(command);
  return words.empty() ? "kreplay" : "kreplay " + words;
}

/// Those that come nearest to a word: it is the beginning of them, or few letters differ.
std::vector<std::string> near(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> found;
  size_t least = 1 + word.size() / 3;
  for (const std::string& one : known) {
    const bool begins = word.size() >= 2 && one.compare(0, word.size(), word) == 0;
    const size_t distance = begins ? 1 : edits(word, one);
    if (distance > least || distance >= one.size()) continue;
    if (distance < least) found.clear();
    least = distance;
    found.push_back(one);
  }
  return found;
}

/// "; did you mean A or B?", or where all of them are listed.
std::string question(const std::vector<std::string>& meant, const CLI::App& command) {
  if (meant.empty()) return "; " + calling(command) + " --help lists what there is";
  std::string text = "; did you mean ";
  for (size_t i = 0; i < meant.size(); ++i)
    text += (i == 0 ? "" : i + 1 == meant.size() ? " or " : ", ") + meant[i];
  return text + "?";
}

/// A command that is not below `at`: one of its own that comes near, or one of that name elsewhere.
std::string unknown_command(const CLI::App& app, const CLI::App& at, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : visible_commands(at)) known.push_back(command->get_name());
  std::vector<std::string> meant;
  for (const std::string& name : near(word, known)) meant.push_back(calling(at) + " " + name);
  if (meant.empty())
    for (const CLI::App* command : all_visible_commands(app))
      if (command->get_name() == word) meant.push_back(calling(*command));
  return "there is no command \"" + calling(at) + " " + word + "\"" + question(meant, at);
}

std::string unknown_option(const CLI::App& at, const std::string& name) {
  std::vector<std::string> known = {"help"};
  for (const CLI::Option* option : visible_options(at))
    known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  std::vector<std::string> meant;
  for (const std::string& one : near(name.substr(std::min<size_t>(2, name.size())), known))
    meant.push_back("--" + one);
  std::sort(meant.begin(), meant.end());
  meant.erase(std::unique(meant.begin(), meant.end()), meant.end());
  return calling(at) + " has no option " + name + question(meant, at);
}

const CLI::App* command_below(const CLI::App& at, const std::string& word) {
  for (const CLI::App* command : at.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == word) return command;
  return nullptr;
}

}  // namespace

size_t edits(const std::string& from, const std::string& to) {
  std::vector<std::vector<size_t>> cost(from.size() + 1, std::vector<size_t>(to.size() + 1));
  for (size_t i = 0; i <= from.size(); ++i) {
    for (size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min(
          {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

std::string misspelt(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const bool commands = !at->get_subcommands([](const CLI::App*) { return true; }).empty();
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = at->get_option_no_throw(word[1] == '-' ? name : word.substr(0, 2));
      if (option == nullptr) return unknown_option(*at, name);
      if (takes_value(*option) && word[1] == '-' && name == word) ++i;
      if (takes_value(*option) && word[1] != '-' && word.size() == 2) ++i;
    } else if (commands) {
      const CLI::App* below = command_below(*at, word);
      if (below == nullptr) return unknown_command(app, *at, word);
      at = below;
    } else if (at->get_positionals_at_end()) {
      return {};  // what follows is another program's
    }
  }
  return {};
}

}  // namespace kreplay::cli
