#include "cli/doctor.hpp"

#include <csignal>

#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;
using Kind = Finding::Kind;

namespace {

size_t count_of(const Findings& findings, Kind kind) {
  size_t sum = 0;
  for (const Finding& finding : findings) sum += finding.kind == kind ? 1 : 0;
  return sum;
}

constexpr int kExited = 0;

const std::vector<HandshakeNote> kSeenNotes = {{1, "loaded", ""}, {1, "runtime", "/lib/x"}};
const ProbeFacts kHealthy = {{"hsa", "/lib/libhsa-runtime64.so.1.5.0"},
                             {"hsa_version", "1.1"},
                             {"agent", "gfx906 (Vega), node 1, 60 compute units, 16 GiB"},
                             {"hip", "/lib/libamdhip64.so.5.2"}};

}  // namespace

TEST_CASE("a healthy probe has no problem") {
  Findings findings;
  check_probe(kHealthy, kSeenNotes, kExited, findings);
  const std::string text = format_findings(findings);
  INFO(text);
  CHECK_FALSE(any_problem(findings));
  CHECK(has(text, "libhsa-runtime64.so.1.5.0, interface 1.1"));
  CHECK(has(text, "gfx906 (Vega)"));
  CHECK(has(text, "libamdhip64.so.5.2"));
  CHECK(has(text, "nothing stands in the way"));
}

TEST_CASE("each failure of the probe is a problem with advice") {
  struct Case {
    ProbeFacts facts;
    std::vector<HandshakeNote> notes;
    int status;
    const char* expected;
  };
  const Case cases[] = {
      {{{"failed", "the HSA runtime cannot be loaded: no such file"}},
       kSeenNotes,
       1 << 8,
       "install libhsa-runtime64-1"},
      {{{"hsa", "/lib/x"}, {"failed", "hsa_init failed with 0x1008"}}, kSeenNotes, 1 << 8, "run rocminfo"},
      {{{"hsa", "/lib/x"}}, kSeenNotes, SIGKILL, "ended with signal 9"},
      {{{"hsa", "/lib/x"}, {"hsa_version", "1.1"}}, kSeenNotes, kExited, "ROCR_VISIBLE_DEVICES"},
      {kHealthy, {}, kExited, "was not loaded into the probe"},
      {kHealthy,
       {{1, "loaded", ""}, {1, "passive", "KREPLAY_ENABLE is off"}},
       kExited,
       "KREPLAY_ENABLE is off"},
  };
  for (const Case& one : cases) {
    Findings findings;
    check_probe(one.facts, one.notes, one.status, findings);
    const std::string text = format_findings(findings);
    INFO(text);
    CHECK(count_of(findings, Kind::problem) == 1);
    CHECK(has(text, one.expected));
    for (const Finding& finding : findings)
      if (finding.kind == Kind::problem) CHECK_FALSE(finding.advice.empty());
  }
}

TEST_CASE("preloads that the loader will pass over, and other profilers, are found") {
  const Folder root;
  std::filesystem::create_directories(root / "etc");
  std::filesystem::create_directories(root / "lib");
  std::ofstream(root / "lib/libtcmalloc.so") << "x";
  std::ofstream(root / "lib/librocprofiler-sdk.so") << "x";
  std::ofstream(root / "etc/ld.so.preload") << "/lib/absent.so\n";
  Findings findings;
  check_preloads({{"LD_PRELOAD", "/lib/libtcmalloc.so:/lib/gone.so /lib/librocprofiler-sdk.so"}}, root.path,
                 findings);
  const std::string text = format_findings(findings);
  INFO(text);
  CHECK(count_of(findings, Kind::problem) == 3);
  CHECK(has(text, "/lib/gone.so: No such file"));
  CHECK(has(text, "librocprofiler-sdk.so is another profiler"));
  CHECK(has(text, "/etc/ld.so.preload: /lib/absent.so: No such file"));
}

TEST_CASE("variables of ours with errors are problems, those of others that matter are notes") {
  Findings findings;
  check_variables(
      {{"KREPLAY_PASSES", "0"}, {"KREPLAY_QUIET", "1"}, {"HSA_ENABLE_SDMA", "0"}, {"HSA_XNACK", "0"}},
      findings);
  const std::string text = format_findings(findings);
  INFO(text);
  CHECK(count_of(findings, Kind::problem) == 1);
  CHECK(has(text, "KREPLAY_PASSES=\"0\""));
  CHECK(has(text, "KREPLAY_QUIET=1 is inherited"));
  CHECK(has(text, "HSA_ENABLE_SDMA=0: copies"));
  CHECK_FALSE(has(text, "HSA_XNACK"));
  Findings tools;
  check_interceptors(
      {{"HSA_TOOLS_LIB", "libtool.so"}, {"ROCP_TOOL_LIBRARIES", "a.so"}, {"ROCPROFILER_LOG", "1"}}, tools);
  CHECK(count_of(tools, Kind::note) == 3);
}

TEST_CASE("device files: absent, present, without a render node") {
  const Folder root;
  Findings absent;
  check_devices(root.path, absent);
  REQUIRE(absent.size() == 1);
  CHECK(has(absent[0].advice, "load the amdgpu driver"));
  std::filesystem::create_directories(root / "sys/module/amdgpu");
  Findings container;
  check_devices(root.path, container);
  CHECK(has(container[0].advice, "in a container"));
  std::filesystem::create_directories(root / "dev");
  std::ofstream(root / "dev/kfd") << "";
  Findings no_node;
  check_devices(root.path, no_node);
  CHECK(count_of(no_node, Kind::problem) == 1);
  std::filesystem::create_directories(root / "dev/dri");
  std::ofstream(root / "dev/dri/renderD128") << "";
  Findings good;
  check_devices(root.path, good);
  CHECK_FALSE(any_problem(good));
  CHECK(has(format_findings(good), "/dev/dri/renderD128: can be opened"));
}
