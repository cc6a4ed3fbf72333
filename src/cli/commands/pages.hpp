// Man pages and shell completions, made from the same options that the command line is read with.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kreplay::cli {

/// "kreplay run [options] -- program [arguments...]"
std::string synopsis(const CLI::App& command);

/// --help with that line; the rest is as CLI11 has it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

/// The words that call a command, joined: "run", "baseline update"; empty for the program itself.
std::string words_of(const CLI::App& command, const char* separator = " ");

/// The subcommands a user sees, in their order.
std::vector<const CLI::App*> visible_commands(const CLI::App& app);
/// Those and the subcommands of each, behind it.
std::vector<const CLI::App*> all_visible_commands(const CLI::App& app);
/// The options a user sees, those without a dash left out.
std::vector<const CLI::Option*> visible_options(const CLI::App& command);
/// The values an option is limited to; empty when it takes others.
std::vector<std::string> choices_of(const CLI::Option& option);
/// Whether the option takes a value.
bool takes_value(const CLI::Option& option);

/// kreplay(1), which lists the subcommands. roff with the man macros.
std::string man_page(const CLI::App& app, const std::string& version);
/// kreplay-NAME(1) of one subcommand; one of a subcommand's own is kreplay-NAME-NAME(1).
std::string man_page(const CLI::App& app, const CLI::App& command, const std::string& version);

std::string bash_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace kreplay::cli
