#include "cli/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/preload.hpp"

namespace kreplay::cli {
namespace {

/// All processes together.
struct Sum {
  bool loaded = false, runtime = false, passive = false, excluded = false, ended = false;
  bool tool_failed = false;
  std::string idle;        ///< why no tool replays
  std::string no_runtime;  ///< why the runtime did not start
  EndedNote counts;
};

Sum sum_of(const std::vector<HandshakeNote>& notes) {
  using namespace handshake_event;
  Sum sum;
  for (const HandshakeNote& note : notes) {
    sum.loaded |= note.event == loaded;
    sum.runtime |= note.event == runtime;
    sum.passive |= note.event == passive;
    sum.excluded |= note.event == excluded;
    sum.tool_failed |= note.event == tool_failed;
    if (note.event == tool_idle) sum.idle = note.detail;
    if (note.event == no_runtime) sum.no_runtime = note.detail;
    if (note.event != ended) continue;
    sum.ended = true;
    const EndedNote one = parse_ended(note.detail);
    sum.counts.dispatches += one.dispatches;
    sum.counts.replayed += one.replayed;
    sum.counts.skipped += one.skipped;
    sum.counts.lost += one.lost;
    if (!one.reason.empty()) sum.counts.reason = one.reason;
  }
  return sum;
}

std::string why_not_loaded(const std::string& program) {
  switch (classify(program)) {
    case ProgramKind::static_program:
      return "the program is linked statically, so nothing can be preloaded";
    case ProgramKind::privileged:
      return "the program is set-uid, set-gid or has capabilities, so the loader ignores preloads";
    case ProgramKind::other_class:
      return "the program is for another kind of processor";
    default:
      return "the loader passed over it (is the path right, is it built for this machine?)";
  }
}

std::string why_nothing(const Sum& sum) {
  if (!sum.runtime && !sum.no_runtime.empty())
    return "nothing was measured: the HSA runtime could not start (" + sum.no_runtime +
           "); kreplay doctor says what is missing";
  if (!sum.runtime) {
    if (sum.passive) return "nothing was measured";
    return sum.excluded ? "nothing was measured: every rank that used a GPU was left out by --ranks"
                        : "nothing was measured: no process of the program used an HSA runtime";
  }
  const EndedNote& counts = sum.counts;
  if (counts.dispatches != 0) {
    return fmt::format("nothing was measured: of {} candidate dispatches none was replayed{}",
                       counts.dispatches,
                       counts.reason.empty() ? "" : ", most often for the reason " + counts.reason);
  }
  if (counts.skipped != 0) {
    return fmt::format(
        "nothing was measured: of {} launches none was selected (kernels, launches, markers, agents)",
        counts.skipped);
  }
  if (!sum.idle.empty()) return "nothing was measured: " + sum.idle;
  return "nothing was measured: the program launched no kernel";
}

/// Tools' functions in which processes ended, with the last call that was refused there.
std::vector<std::string> ended_in_tools(const std::vector<HandshakeNote>& notes) {
  struct Inside {
    std::string tool, refused;
  };
  std::set<int64_t> ended;
  for (const HandshakeNote& note : notes)
    if (note.event == handshake_event::ended) ended.insert(note.pid);
  std::map<int64_t, Inside> inside;
  for (const HandshakeNote& note : notes) {
    if (note.event == handshake_event::tool_enters) inside[note.pid] = {note.detail, {}};
    if (note.event == handshake_event::tool_leaves || ended.count(note.pid) != 0) inside.erase(note.pid);
    if (note.event == handshake_event::tool_callbacks && note.count != 0 && ended.count(note.pid) == 0)
      inside[note.pid] = {note.detail + ": a callback", {}};
    if (note.event == handshake_event::tool_refused && inside.count(note.pid) != 0)
      inside[note.pid].refused = note.detail;
  }
  std::vector<std::string> sentences;
  sentences.reserve(inside.size());
  for (const auto& [pid, one] : inside)
    sentences.push_back(fmt::format("process {} ended in a tool, {}{}", pid, one.tool,
                                    one.refused.empty() ? "" : ", which had been refused " + one.refused));
  return sentences;
}

}  // namespace

HandshakeVerdict judge(const std::vector<HandshakeNote>& notes, const std::string& program,
                       bool allow_nothing) {
  HandshakeVerdict verdict;
  const auto fail = [&verdict](std::string sentence) {
    verdict.good = false;
    verdict.sentences.push_back(std::move(sentence));
  };
  const Sum sum = sum_of(notes);
  verdict.no_gpu_used = !sum.runtime && !sum.passive && !sum.excluded && sum.no_runtime.empty();
  if (!sum.loaded) {
    fail("libkreplay.so was not loaded: " + why_not_loaded(program));
    return verdict;
  }
  for (const HandshakeNote& note : notes) {
    if (note.event == handshake_event::results) verdict.sentences.push_back("results in " + note.detail);
    if (note.event == handshake_event::no_results || note.event == handshake_event::tool_failed)
      fail(note.detail);
    if (note.event == handshake_event::passive)
      verdict.sentences.push_back(fmt::format("process {} ran without replay: {}", note.pid, note.detail));
  }
  const std::vector<std::string> tools = ended_in_tools(notes);
  for (const std::string& sentence : tools) fail(sentence);
  if (sum.counts.lost != 0)
    fail(fmt::format("{} records could not be written, so the results are not whole", sum.counts.lost));
  if (sum.counts.replayed > 0 || allow_nothing) return verdict;
  if (sum.tool_failed || !tools.empty()) return verdict;  // that is why
  if (sum.runtime && !sum.ended)
    verdict.sentences.emplace_back("the program did not end through exit, so its counts are not known");
  else
    fail(why_nothing(sum));
  return verdict;
}

}  // namespace kreplay::cli
