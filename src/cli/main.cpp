// The kreplay program. The subcommands are in commands/.
#include <cstdio>
#include <cstring>

#include "cli/commands/commands.hpp"
#include "cli/commands/pages.hpp"
#include "cli/commands/suggest.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"

namespace {

using namespace kreplay::cli;

int command_line(int argc, char** argv) {
  CLI::App app{
      "Kernel replay for AMD GPUs: run each selected kernel several times inside one application run."};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "kreplay " KREPLAY_VERSION);
  app.require_subcommand(1);
  app.footer("See kreplay SUBCOMMAND --help, and docs/cli.md for exit statuses.");
  int status = 0;
  add_run(app, &status);
  add_report(app, &status);
  add_compare(app, &status);
  add_limits(app, &status);
  add_baseline(app, &status);
  add_history(app, &status);
  add_ab(app, &status);
  add_merge(app, &status);
  add_doctor(app, &status);
  add_pages(app, &status);

  const bool is_run = argc > 1 && std::strcmp(argv[1], "run") == 0;
  const int failed = is_run ? kRunFailed : kUsage;
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string sentence = misspelt(app, {argv + 1, argv + argc});
    if (sentence.empty())
      (void)app.exit(error);
    else
      say(sentence);
    return failed;
  } catch (const std::exception& error) {
    say(error.what());
    return failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return command_line(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kreplay: %s\n", error.what());
    return kUsage;
  }
}
