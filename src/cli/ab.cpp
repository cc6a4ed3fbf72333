#include "cli/ab.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/child.hpp"
#include "cli/output.hpp"
#include "cli/supervise.hpp"

namespace kreplay::cli {
namespace {

/// Runs a program with its standard output on stderr. @return its status as waitpid gives it
/// @param ended_by receives the signal, where one that was meant for all of this ended the program
Result<int> spawn(const std::vector<std::string>& words, int* ended_by) {
  Supervisor supervisor;
  const pid_t child =
      start_program(words.front(), words, merged_environment({}), STDERR_FILENO, &supervisor.begin());
  if (child < 0) return {Error::runtime, words.front() + ": cannot be run: " + std::strerror(errno)};
  const int status = supervisor.wait(child, {});
  if (WIFSIGNALED(status) && WTERMSIG(status) == supervisor.asked_to_end()) *ended_by = WTERMSIG(status);
  return status;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

std::vector<std::string> files_of(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().compare(0, prefix.size(), prefix) == 0)
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Status run_once(const AbPlan& plan, size_t side, unsigned pair, Results* results, int* ended_by) {
  const std::string prefix = fmt::format("{}-{:03}-", side == 0 ? "a" : "b", pair + 1);
  std::vector<std::string> words = {plan.kreplay, "run", "--quiet", "-o",
                                    plan.folder + "/" + prefix + "%p.jsonl"};
  words.insert(words.end(), plan.run_arguments.begin(), plan.run_arguments.end());
  for (const char* word : {"--", "sh", "-c"}) words.emplace_back(word);
  words.push_back(plan.commands[side]);
  say(fmt::format("pair {} of {}: {}", pair + 1, plan.first + plan.pairs, plan.commands[side]));
  const auto status = spawn(words, ended_by);
  if (!status) return status.status();
  if (*status != 0)
    return {Error::runtime,
            fmt::format("pair {}: {}: {}", pair + 1, plan.commands[side], how_it_ended(*status))};
  return read_run(files_of(plan.folder, prefix), results);
}

}  // namespace

Status run_pairs(const AbPlan& plan, Results (&sides)[2], int* ended_by) {
  *ended_by = 0;
  for (unsigned pair = plan.first; pair < plan.first + plan.pairs; ++pair) {
    for (size_t turn = 0; turn < 2; ++turn) {
      const size_t side = (turn + pair) % 2;
      if (Status ran = run_once(plan, side, pair, &sides[side], ended_by); !ran) return ran;
    }
  }
  return {};
}

}  // namespace kreplay::cli
