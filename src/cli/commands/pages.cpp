#include "cli/commands/pages.hpp"

#include <filesystem>
#include <fstream>

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"

namespace kreplay::cli {
namespace {

bool write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file.fail()) return true;
  say(path.string() + ": cannot be written");
  return false;
}

int pages_command(const CLI::App& app, const std::string& folder) {
  const std::filesystem::path root = folder;
  const std::string version = KREPLAY_VERSION;
  bool good = write(root / "man/man1/kreplay.1", man_page(app, version));
  for (const CLI::App* command : all_visible_commands(app))
    good = good && write(root / ("man/man1/kreplay-" + words_of(*command, "-") + ".1"),
                         man_page(app, *command, version));
  good = good && write(root / "bash-completion/completions/kreplay", bash_completion(app)) &&
         write(root / "fish/vendor_completions.d/kreplay.fish", fish_completion(app)) &&
         write(root / "zsh/site-functions/_kreplay", zsh_completion(app));
  return good ? 0 : kUsage;
}

}  // namespace

void add_pages(CLI::App& app, int* status) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("pages", "Write the man pages and shell completions (used by the build)");
  command->group("");
  command->add_option("folder", *folder, "Where, laid out as in share/")->required();
  command->final_callback([&app, folder, status] { *status = pages_command(app, *folder); });
}

}  // namespace kreplay::cli
