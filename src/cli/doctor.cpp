#include "cli/doctor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

namespace kreplay::cli {
namespace {

using Kind = Finding::Kind;

const char* label_of(Kind kind) {
  switch (kind) {
    case Kind::good:
      return "ok";
    case Kind::note:
      return "note";
    case Kind::problem:
      return "PROBLEM";
  }
  return "unknown";
}

void check_handshake(const std::vector<HandshakeNote>& notes, Findings& out) {
  std::string passive;
  bool loaded = false;
  bool runtime = false;
  for (const HandshakeNote& note : notes) {
    loaded |= note.event == handshake_event::loaded;
    runtime |= note.event == handshake_event::runtime;
    if (note.event == handshake_event::passive) passive = note.detail;
  }
  if (!loaded) {
    out.push_back({Kind::problem, "preloading", "libkreplay.so was not loaded into the probe process",
                   "look at what the loader says: LD_PRELOAD=/path/to/libkreplay.so true"});
  } else if (!passive.empty()) {
    out.push_back({Kind::problem, "replay", "the library was loaded and stays out of the way: " + passive,
                   "remove the cause; nothing can be replayed before that"});
  } else if (runtime) {
    out.push_back({Kind::good, "replay", "the library was loaded and sees the runtime", {}});
  }
}

}  // namespace

void check_probe(const ProbeFacts& facts, const std::vector<HandshakeNote>& notes, int status,
                 Findings& out) {
  const auto text_of = [&facts](const char* key) {
    for (const auto& [name, text] : facts)
      if (name == key) return text;
    return std::string();
  };
  const std::string failed = text_of("failed");
  if (const std::string hsa = text_of("hsa"); !hsa.empty()) {
    const std::string version = text_of("hsa_version");
    out.push_back({Kind::good, "HSA runtime", version.empty() ? hsa : hsa + ", interface " + version, {}});
  }
  if (!failed.empty()) {
    const bool absent = text_of("hsa").empty();
    out.push_back({Kind::problem, "HSA runtime", failed,
                   absent ? "install libhsa-runtime64-1, or put ROCm's lib folder into LD_LIBRARY_PATH"
                          : "run rocminfo; try --device soft to see whether only the device is the cause"});
  } else if (WIFSIGNALED(status)) {
    out.push_back({Kind::problem, "HSA runtime",
                   fmt::format("asking the runtime ended with signal {} (a hang is ended after 30 s)",
                               WTERMSIG(status)),
                   "run rocminfo; if that works, report it with the output of this command"});
  }
  bool any_agent = false;
  for (const auto& [key, text] : facts) {
    if (key == "agent") out.push_back({Kind::good, "GPU agent", text, {}});
    any_agent |= key == "agent";
  }
  if (!any_agent && failed.empty() && WIFEXITED(status)) {
    out.push_back(
        {Kind::problem, "GPU agent", "the runtime lists none",
         "check ROCR_VISIBLE_DEVICES and the device files below; without an AMD GPU use --device soft"});
  }
  size_t hips = 0;
  for (const auto& [key, text] : facts) {
    if (key != "hip") continue;
    out.push_back({Kind::good, "HIP", text, {}});
    ++hips;
  }
  if (hips == 0 && WIFEXITED(status) && failed.empty()) {
    out.push_back({Kind::note, "HIP", "no libamdhip64.so can be loaded",
                   "HSA programs do not need it; for HIP programs install libamdhip64-5 or ROCm's"});
  } else if (hips > 1) {
    out.push_back({Kind::note, "HIP", "several versions can be loaded",
                   "a program uses the one it was linked to; two HSA runtimes in one process are refused"});
  }
  check_handshake(notes, out);
}

std::string format_findings(const Findings& findings) {
  std::string text;
  size_t problems = 0;
  for (const Finding& finding : findings) {
    problems += finding.kind == Kind::problem ? 1 : 0;
    text += fmt::format("{:<8}{}: {}\n", label_of(finding.kind), finding.what, finding.detail);
    if (!finding.advice.empty()) text += fmt::format("{:<8}  -> {}\n", "", finding.advice);
  }
  text += problems == 0 ? "kreplay: nothing stands in the way of a run\n"
                        : fmt::format("kreplay: {} problem{}\n", problems, problems == 1 ? "" : "s");
  return text;
}

bool any_problem(const Findings& findings) {
  for (const Finding& finding : findings)
    if (finding.kind == Kind::problem) return true;
  return false;
}

}  // namespace kreplay::cli
