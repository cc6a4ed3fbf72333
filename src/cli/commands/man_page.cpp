#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/commands/pages.hpp"

namespace kreplay::cli {
namespace {

/// Text for roff: hyphens that are to be typed, backslashes, and lines that would be requests.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream lines(text);
  std::string part;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      part += line + "\n";
    } else if (!part.empty()) {
      parts.push_back(std::move(part));
      part.clear();
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

/// "Exit status: 0 ..." becomes a section of that name.
struct Section {
  const char* start;
  const char* title;
  bool as_written;  ///< lines are kept
};
constexpr Section kSections[] = {{"Environment", "ENVIRONMENT", true},
                                 {"Exit status:", "EXIT STATUS", false},
                                 {"Example:", "EXAMPLE", true}};

const Section* section_of(const std::string& paragraph) {
  for (const Section& section : kSections)
    if (paragraph.rfind(section.start, 0) == 0) return &section;
  return nullptr;
}

std::string body_of(const Section& section, const std::string& paragraph) {
  const size_t end =
      paragraph.find(section.as_written && paragraph.find(": ") == std::string::npos ? '\n' : ':');
  std::string body = end == std::string::npos ? paragraph : paragraph.substr(end + 1);
  if (std::string(section.title) == "ENVIRONMENT") body = paragraph.substr(paragraph.find('\n') + 1);
  body.erase(0, body.find_first_not_of(' '));
  return section.as_written ? ".nf\n" + roff(body) + ".fi\n" : roff(body);
}

std::string header(const std::string& name, const std::string& description, const std::string& version) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return ".TH " + roff(upper) + " 1 \"\" \"kreplay " + version + "\" \"User Commands\"\n.SH NAME\n" +
         roff(name) + " \\- " + roff(description) + "\n";
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  std::string entry = ".TP\n\\fB" + roff(names) + "\\fR";
  if (takes_value(option)) {
    const std::string kind = option.get_type_name();
    entry += " \\fI" + roff(kind.substr(0, kind.find(':'))) + "\\fR";
  }
  return entry + "\n" + roff(option.get_description()) + "\n";
}

std::string page_name(const CLI::App& command) { return "kreplay-" + words_of(command, "-"); }

std::string commands_section(const CLI::App& app) {
  const auto commands = visible_commands(app);
  std::string section = commands.empty() ? "" : ".SH COMMANDS\n";
  for (const CLI::App* command : commands)
    section +=
        ".TP\n\\fB" + roff(page_name(*command)) + "\\fR(1)\n" + roff(command->get_description()) + "\n";
  return section;
}

}  // namespace

std::string synopsis(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "kreplay COMMAND [options]";
  std::string text = "kreplay " + words_of(command);
  if (!visible_commands(command).empty()) return text + " COMMAND [options]";
  text += " [options]";
  if (command.get_name() == "run") return text + " -- program [arguments...]";
  for (const CLI::Option* option : command.get_options())
    if (!option->nonpositional())
      text += " " + option->get_name(true) + (option->get_items_expected_max() > 1 ? "..." : "");
  return text;
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  if (!app->get_name().empty() || app->get_parent() == nullptr) return "Usage: " + synopsis(*app) + "\n";
  return CLI::Formatter::make_usage(app, std::move(name));  // a group of options
}

std::string man_page(const CLI::App& app, const std::string& version) {
  std::string page = header("kreplay", app.get_description(), version);
  page += ".SH SYNOPSIS\n.B " + roff(synopsis(app)) + "\n" + commands_section(app) + ".SH OPTIONS\n";
  for (const CLI::Option* option : visible_options(app)) page += option_entry(*option);
  return page;
}

std::string man_page(const CLI::App& app, const CLI::App& command, const std::string& version) {
  std::string page = header(page_name(command), command.get_description(), version);
  page += ".SH SYNOPSIS\n.B " + roff(synopsis(command)) + "\n";
  const std::vector<std::string> footer = paragraphs(command.get_footer());
  page += ".SH DESCRIPTION\n" + roff(command.get_description()) + ".\n";
  for (const std::string& paragraph : footer)
    if (section_of(paragraph) == nullptr) page += ".PP\n" + roff(paragraph);
  page += commands_section(command);
  std::string group;
  page += ".SH OPTIONS\n";
  for (const CLI::Option* option : visible_options(command)) {
    if (option->get_group() != group && option->get_group() != "Options")
      page += ".SS " + option->get_group() + "\n";
    group = option->get_group();
    page += option_entry(*option);
  }
  for (const Section& section : kSections)
    for (const std::string& paragraph : footer)
      if (section_of(paragraph) == &section)
        page += std::string(".SH ") + section.title + "\n" + body_of(section, paragraph);
  page += ".SH SEE ALSO\n";
  std::string others = "\\fBkreplay\\fR(1)";
  for (const CLI::App* other : all_visible_commands(app))
    if (other != &command) others += ", \\fB" + roff(page_name(*other)) + "\\fR(1)";
  return page + others + "\n";
}

}  // namespace kreplay::cli
