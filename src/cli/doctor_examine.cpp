// `kreplay doctor` with the real process, files and runtime.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/child.hpp"
#include "cli/doctor.hpp"
#include "cli/library_file.hpp"
#include "cli/load_probe.hpp"
#include "cli/preload.hpp"

extern char** environ;

namespace kreplay::cli {
namespace {

constexpr uint64_t kProbeLimitNs = 30'000'000'000;

Environment environment_of_this_process() {
  Environment out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

void run_probe(const DoctorRequest& request, Findings& out) {
  const auto fail = [&out](const std::string& why) {
    out.push_back({Finding::Kind::problem, "probe", why, "the other findings hold all the same"});
  };
  const TemporaryFile handshake("handshake", kHandshakeBytes);
  if (handshake.path().empty())
    return fail(std::string("no temporary file can be made: ") + std::strerror(errno));
  const char* preloaded = std::getenv("LD_PRELOAD");
  const auto list = preload_list(preloaded != nullptr ? preloaded : "", request.libraries);
  if (!list) return fail(list.status().message());
  const std::string self = own_path();
  const auto ran = run_aside({self, "doctor", "--probe"},
                             merged_environment({{"LD_PRELOAD", *list},
                                                 {"KREPLAY_HANDSHAKE", handshake.path()},
                                                 {"KREPLAY_QUIET", "1"},
                                                 {"KREPLAY_OUTPUT", ""}}),
                             false, kProbeLimitNs);
  if (!ran) return fail(ran.status().message());
  check_probe(read_probe(ran->text), read_handshake(handshake.path()), ran->status, out);
}

/// What is to be preloaded: whether it is ours, of this version, whole, and can be loaded.
/// @return false when the probe would tell nothing
bool check_libraries(const DoctorRequest& request, Findings& out) {
  const size_t before = out.size();
  const auto problem = [&out](const std::string& what, const std::string& advice) {
    out.push_back({Finding::Kind::problem, "library", what, advice});
  };
  const std::string& ours = request.libraries.front();
  const auto file = look_at_own_library(ours);
  if (!file) {
    problem(file.status().message(), "name the libkreplay.so that was built or installed with this command");
    return false;
  }
  if (file->version != request.version)
    problem(ours + ": is of version " + (file->version.empty() ? "unknown" : file->version) +
                ", this command of " + request.version,
            "use the two that were installed together");
  for (const std::string& sentence : probe_loading({request.libraries, {}, {}, true}))
    problem(sentence, "install libkreplay completely, with the libraries beside it");
  if (out.size() != before) return false;
  for (const std::string& library : request.libraries)
    out.push_back({Finding::Kind::good,
                   "library",
                   &library == &ours ? library + ", version " + file->version : library,
                   {}});
  return true;
}

}  // namespace

Findings examine(const DoctorRequest& request) {
  Findings out;
  const Environment environment = environment_of_this_process();
  if (!check_libraries(request, out)) {
    out.push_back({Finding::Kind::note, "HSA runtime", "was not asked, because of the library", {}});
  } else {
    run_probe(request, out);
  }
  if (request.soft)
    out.push_back({Finding::Kind::good, "device", "the software GPU needs none", {}});
  else
    check_devices("", out);
  check_preloads(environment, "", out);
  check_interceptors(environment, out);
  check_variables(environment, out);
  return out;
}

}  // namespace kreplay::cli
