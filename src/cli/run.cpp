#include "cli/run.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "base/progress.hpp"
#include "base/rank.hpp"
#include "cli/child.hpp"
#include "cli/output.hpp"
#include "cli/preflight.hpp"
#include "cli/preload.hpp"
#include "cli/progress_line.hpp"
#include "cli/supervise.hpp"
#include "cli/verdict.hpp"

namespace kreplay::cli {
namespace {

/// Waits for the child; meanwhile shows its progress if there is a page. @return status as waitpid(2) gives
/// it
int wait_for(pid_t child, Supervisor& supervisor, const ProgressPage* page) {
  if (page == nullptr) return supervisor.wait(child, {});
  const uint64_t begin = monotonic_ns();
  ProgressLine line(STDERR_FILENO);
  return supervisor.wait(child, [&] { line.paint(*page, monotonic_ns() - begin); });
}

/// This very process is of a rank that was not asked for: then its program measures nothing, which is right.
bool left_out(const Options& options) {
  const auto rank = job_rank();
  return rank && !options.ranks.contains(*rank);
}

}  // namespace

int run(const RunRequest& request) {
  const char* search = std::getenv("PATH");
  const std::string& name = request.command.front();
  const std::string program = find_program(name, search != nullptr ? search : "/usr/bin:/bin");
  if (program.empty()) {
    const bool folder = name.find('/') != std::string::npos && ::access(name.c_str(), F_OK) == 0;
    say(name + (folder ? ": cannot be run: it is no file" : ": no such program"));
    return folder ? kCannotExecute : kNoSuchProgram;
  }
  TemporaryFile handshake("handshake", kHandshakeBytes);
  if (handshake.path().empty()) {
    say(std::string("cannot create a temporary file: ") + std::strerror(errno));
    return kRunFailed;
  }
  TemporaryFile progress("progress", request.progress ? kProgressBytes : 0);
  const ProgressPage* page = request.progress ? map_progress(progress.path()) : nullptr;
  const char* preloaded = std::getenv("LD_PRELOAD");
  const auto list = preload_list(preloaded != nullptr ? preloaded : "", request.libraries);
  if (!list) {
    say(list.status().message());
    return kRunFailed;
  }
  auto variables = request.variables;
  variables.emplace_back("LD_PRELOAD", *list);
  variables.emplace_back("KREPLAY_HANDSHAKE", handshake.path());
  if (page != nullptr) variables.emplace_back("KREPLAY_PROGRESS", progress.path());
  std::vector<std::string> environment = merged_environment(variables);
  const Options options = read_options(pointers(environment).data());
  if (!options.errors.empty()) {
    for (const std::string& error : options.errors) say(error);
    return kRunFailed;
  }

  if (const std::vector<std::string> wrong = preflight(request.libraries, options.output, environment);
      !wrong.empty()) {
    for (const std::string& sentence : wrong) say(sentence);
    return kRunFailed;
  }

  Supervisor supervisor;
  const pid_t child = start_program(program, request.command, environment, -1, &supervisor.begin());
  if (child < 0) {
    say(program + ": cannot be run: " + std::strerror(errno));
    return errno == ENOENT ? kNoSuchProgram : kCannotExecute;
  }
  supervisor.keep();
  const int status = wait_for(child, supervisor, page);

  const HandshakeVerdict verdict =
      judge(read_handshake(handshake.path()), program, request.allow_nothing || left_out(options));
  for (const std::string& sentence : verdict.sentences) say(sentence);
  if (!verdict.good && verdict.no_gpu_used && !request.soft)
    if (const std::string why = no_device(""); !why.empty()) say(why);
  if (WIFSIGNALED(status)) {
    handshake.remove();
    progress.remove();
    end_as(WTERMSIG(status));
  }
  const int own = WEXITSTATUS(status);
  return own == 0 && !verdict.good ? kRunFailed : own;
}

}  // namespace kreplay::cli
