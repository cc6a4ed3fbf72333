// The man pages and completions that the program writes about itself.
#include <regex>
#include <set>

#include "fixtures.hpp"

using fixtures::Folder;
using fixtures::has;
using fixtures::shell;

namespace {

const std::string kKreplay = KREPLAY_PROGRAM;

std::string page_text(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The long options that --help names at the start of a line.
std::set<std::string> options_in_help(const std::string& command) {
  const std::string help = shell(kKreplay + " " + command + " --help").text;
  std::set<std::string> options;
  const std::regex line("^ +(-[a-z],)?(--[a-z-]+)", std::regex::multiline);
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at)
    options.insert((*at)[2]);
  return options;
}

std::vector<std::string> commands() {
  const std::string help = shell(kKreplay + " --help").text;
  std::vector<std::string> names;
  const std::regex line("^  ([a-z]+) +[A-Z]", std::regex::multiline);
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

/// Those, and the commands of a command.
std::vector<std::string> all_commands() {
  std::vector<std::string> names = commands();
  for (const char* nested : {"baseline update", "baseline show"}) names.push_back(nested);
  return names;
}

std::string escaped(const std::string& text) { return std::regex_replace(text, std::regex("-"), "\\-"); }

struct Pages {
  Pages() { REQUIRE(shell(kKreplay + " pages " + folder.path).code() == 0); }
  Folder folder;
};

}  // namespace

TEST_CASE("every subcommand has a man page with each of its options and the statuses") {
  const Pages pages;
  const std::vector<std::string> names = all_commands();
  REQUIRE(names.size() >= 7);
  const std::string overview = page_text(pages.folder / "man/man1/kreplay.1");
  for (const std::string& name : names) {
    INFO(name);
    const std::string dashed = std::regex_replace(name, std::regex(" "), "-");
    CHECK(has(name == dashed ? overview : page_text(pages.folder / "man/man1/kreplay-baseline.1"),
              escaped("kreplay-" + dashed)));
    const std::string page = page_text(pages.folder / ("man/man1/kreplay-" + dashed + ".1"));
    const auto options = options_in_help(name);
    CHECK(options.count("--help") == 1);
    for (const std::string& option : options) {
      INFO(option);
      CHECK(has(page, escaped(option)));
    }
    CHECK(has(page, ".SH EXIT STATUS"));
    CHECK(has(page, ".SH EXAMPLE"));
  }
  CHECK(options_in_help("run").size() > 20);
  CHECK_FALSE(has(overview, "pages"));
}

TEST_CASE("man pages are what roff understands") {
  if (!shell("command -v groff >/dev/null").code()) {
    const Pages pages;
    for (const auto& entry : std::filesystem::directory_iterator(pages.folder / "man/man1")) {
      const auto checked = shell("groff -man -Tascii -ww -z " + entry.path().string());
      INFO(entry.path() << "\n" << checked.text);
      CHECK(checked.code() == 0);
      CHECK(checked.text.empty());
    }
  } else {
    WARN("groff is not installed: the pages are not set");
  }
}

TEST_CASE("bash completes subcommands, options, values and files") {
  const Pages pages;
  const std::string script = pages.folder / "bash-completion/completions/kreplay";
  const auto complete = [&](const std::string& words, int at) {
    return shell("bash --norc -c 'source " + script + "; COMP_WORDS=(" + words +
                 "); COMP_CWORD=" + std::to_string(at) + "; _kreplay; printf \"%s\\n\" \"${COMPREPLY[@]}\"'")
        .text;
  };
  for (const std::string& name : commands()) CHECK(has(complete("kreplay \"\"", 1), name + "\n"));
  CHECK(complete("kreplay ru", 1) == "run\n");
  CHECK(has(complete("kreplay run --ker", 2), "--kernels\n"));
  for (const std::string& option : options_in_help("run")) {
    INFO(option);
    CHECK(has(complete("kreplay run --", 2), option + "\n"));
  }
  CHECK(has(complete("kreplay baseline \"\"", 2), "update\nshow\n"));
  CHECK(has(complete("kreplay baseline update --k", 3), "--keep\n"));
  CHECK(complete("kreplay baseline show --k", 3) == "\n");
  CHECK(complete("kreplay run --device s", 3) == "soft\n");
  CHECK(has(complete("kreplay merge -o " + pages.folder.path + "/ma", 3), "/man\n"));
  CHECK(has(complete("kreplay run -- tru", 3), "true\n"));
}

TEST_CASE("fish completes subcommands, options, values and files") {
  const Pages pages;
  const std::string script = pages.folder / "fish/vendor_completions.d/kreplay.fish";
  REQUIRE(shell("command -v fish >/dev/null").code() == 0);  // scripts/setup --tests installs it
  const auto complete = [&](const std::string& line) {
    const auto said = shell("HOME=" + pages.folder.path + " fish --no-config -c 'source " + script +
                            "; complete -C \"" + line + "\"'");
    CHECK(said.code() == 0);
    return "\n" + said.text;
  };
  for (const std::string& name : commands()) CHECK(has(complete("kreplay "), "\n" + name + "\t"));
  for (const std::string& name : all_commands())
    for (const std::string& option : options_in_help(name)) {
      INFO(name << " " << option);
      CHECK(has(complete("kreplay " + name + " " + option), "\n" + option + "\t"));
    }
  CHECK(has(complete("kreplay baseline "), "\nupdate\t"));
  CHECK_FALSE(has(complete("kreplay baseline show --k"), "--keep"));
  CHECK_FALSE(has(complete("kreplay compare --dev"), "--device"));
  CHECK(has(complete("kreplay run --device s"), "\nsoft\t"));
  CHECK(has(complete("kreplay merge -o " + pages.folder.path + "/ma"), "/man/"));
  CHECK(has(complete("kreplay run -- tru"), "\ntrue"));
  CHECK_FALSE(has(complete("kreplay run -- cat --pass"), "--passes"));
}

TEST_CASE("zsh has every option of every subcommand") {
  const Pages pages;
  const std::string script = page_text(pages.folder / "zsh/site-functions/_kreplay");
  CHECK(script.rfind("#compdef kreplay\n", 0) == 0);
  for (const std::string& name : all_commands()) {
    CHECK(has(script, "    (\"" + name + "\")\n"));
    for (const std::string& option : options_in_help(name)) {
      INFO(option);
      CHECK(has(script, "\"" + option + "["));
    }
  }
  const std::string file = pages.folder / "zsh/site-functions/_kreplay";
  if (shell("command -v zsh >/dev/null").code() == 0)
    CHECK(shell("zsh -n " + file).code() == 0);
  else
    WARN("zsh is not installed: the script is not parsed");
}
