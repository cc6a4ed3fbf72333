#include "base/options.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <set>
#include <sstream>

using kreplay::Options;

namespace {

Options read(std::initializer_list<const char*> entries) {
  std::vector<const char*> environment(entries);
  environment.push_back(nullptr);
  return kreplay::read_options(environment.data());
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// One variable: values it must accept with a check of the result, and values it must refuse.
struct Case {
  const char* name;
  std::vector<std::pair<const char*, std::function<bool(const Options&)>>> good;
  std::vector<const char*> bad;
};

Case flag(const char* name, bool Options::*member) {
  return {name,
          {{"0", [=](const Options& o) { return !(o.*member); }},
           {"1", [=](const Options& o) { return o.*member; }}},
          {"", "2", "yes", "true", "01", " 1"}};
}
Case regex(const char* name, std::string Options::*member) {
  return {name,
          {{"", [=](const Options& o) { return (o.*member).empty(); }},
           {"^axpy|sum<float.*>$", [=](const Options& o) { return o.*member == "^axpy|sum<float.*>$"; }}},
          {"(", "[a-", "*", "a{1001}", "\\", "(a)\\1", "a(?=b)"}};
}
Case seconds(const char* name, uint64_t Options::*member) {
  return {name,
          {{"1", [=](const Options& o) { return o.*member == 1'000'000'000; }},
           {"0.25", [=](const Options& o) { return o.*member == 250'000'000; }},
           {"0.000000001", [=](const Options& o) { return o.*member == 1; }},
           {"12.5", [=](const Options& o) { return o.*member == 12'500'000'000; }},
           {"1000000", [=](const Options& o) { return o.*member == 1'000'000'000'000'000; }}},
          {"", "0", "0.0", "-1", "1.", ".5", "1e3", "1s", "1,5", "0.0000000001", "1000000.1", "inf", "nan",
           "99999999999999999999"}};
}

Case text(const char* name, std::string Options::*member) {
  return {name,
          {{"", [=](const Options& o) { return (o.*member).empty(); }},
           {"step 5: (a)", [=](const Options& o) { return o.*member == "step 5: (a)"; }}},
          {}};
}
Case numbers(const char* name, kreplay::NumberSet Options::*member) {
  return {name,
          {{"", [=](const Options& o) { return (o.*member).all(); }},
           {"0,2-",
            [=](const Options& o) {
              return (o.*member).contains(0) && !(o.*member).contains(1) && (o.*member).contains(9);
            }}},
          {"x", "-", "2-1", "1,"}};
}

std::vector<Case> cases() {
  return {
      {"KREPLAY_PASSES",
       {{"1", [](const Options& o) { return o.passes == 1; }},
        {"1000000", [](const Options& o) { return o.passes == 1'000'000; }}},
       {"", "0", "1000001", "-1", "5x", "+5", " 5", "0x10", "2.0", "99999999999999999999"}},
      {"KREPLAY_WARMUP",
       {{"0", [](const Options& o) { return o.warmup == 0; }},
        {"3", [](const Options& o) { return o.warmup == 3; }}},
       {"", "-1", "1000001", "x"}},
      {"KREPLAY_UNTIL_REL_ERROR",
       {{"1%", [](const Options& o) { return o.until_rel_error == 0.01; }},
        {"0.025", [](const Options& o) { return o.until_rel_error == 0.025; }},
        {"0.5%", [](const Options& o) { return o.until_rel_error == 0.005; }}},
       {"", "0", "0%", "100%", "1", "-1%", "1 %", "%", "1e-2", "nan", "inf", "x"}},
      {"KREPLAY_MIN_PASSES",
       {{"1", [](const Options& o) { return o.min_passes == 1; }},
        {"1000", [](const Options& o) { return o.min_passes == 1000; }}},
       {"", "0", "1001", "x"}},
      {"KREPLAY_MAX_PASSES",
       {{"10", [](const Options& o) { return o.max_passes == 10; }},
        {"1000000", [](const Options& o) { return o.max_passes == 1'000'000; }}},
       {"", "0", "1000001"}},
      seconds("KREPLAY_MAX_TIME", &Options::max_time_ns),
      text("KREPLAY_FROM_MARKER", &Options::from_marker),
      text("KREPLAY_TO_MARKER", &Options::to_marker),
      numbers("KREPLAY_AGENTS", &Options::agents),
      numbers("KREPLAY_RANKS", &Options::ranks),
      {"KREPLAY_CACHE",
       {{"none", [](const Options& o) { return !o.flush_caches; }},
        {"flush", [](const Options& o) { return o.flush_caches; }}},
       {"", "cold", "1"}},
      text("KREPLAY_PROGRESS", &Options::progress),
      regex("KREPLAY_KERNELS", &Options::kernels),
      regex("KREPLAY_EXCLUDE", &Options::exclude),
      {"KREPLAY_LAUNCHES",
       {{"", [](const Options& o) { return o.launches.empty(); }},
        {"1,3-5,10-", [](const Options& o) { return o.launches == "1,3-5,10-"; }}},
       {"0", "5-3", "all", "1,,2"}},
      flag("KREPLAY_INTERNAL_KERNELS", &Options::internal_kernels),
      {"KREPLAY_OUTPUT",
       {{"", [](const Options& o) { return o.output.empty(); }},
        {"/tmp/run-%h-%p-%r-100%%.jsonl",
         [](const Options& o) { return o.output == "/tmp/run-%h-%p-%r-100%%.jsonl"; }}},
       {"%", "a%q", "a%p%", "100%.jsonl"}},
      flag("KREPLAY_QUIET", &Options::quiet),
      flag("KREPLAY_BACKTRACE", &Options::backtrace),
      flag("KREPLAY_ENABLE", &Options::enabled),
      seconds("KREPLAY_PASS_TIMEOUT", &Options::pass_timeout_ns),
      seconds("KREPLAY_DRAIN_TIMEOUT", &Options::drain_timeout_ns),
      {"KREPLAY_ON_STUCK_DRAIN",
       {{"abort", [](const Options& o) { return !o.decline_on_stuck_drain; }},
        {"decline", [](const Options& o) { return o.decline_on_stuck_drain; }}},
       {"", "Abort", "wait"}},
      {"KREPLAY_HOST_WRITE",
       {{"stop", [](const Options& o) { return o.host_write == Options::HostWrite::stop; }},
        {"restore", [](const Options& o) { return o.host_write == Options::HostWrite::restore; }},
        {"ignore", [](const Options& o) { return o.host_write == Options::HostWrite::ignore; }}},
       {"", "STOP", "1"}},
      {"KREPLAY_BATCH",
       {{"decline", [](const Options& o) { return !o.split_batches; }},
        {"split", [](const Options& o) { return o.split_batches; }}},
       {"", "1"}},
      {"KREPLAY_HOST_BYTES",
       {{"0", [](const Options& o) { return o.host_bytes == 0; }},
        {"4096", [](const Options& o) { return o.host_bytes == 4096; }},
        {"3K", [](const Options& o) { return o.host_bytes == 3072; }},
        {"512M", [](const Options& o) { return o.host_bytes == 512ull << 20; }},
        {"2G", [](const Options& o) { return o.host_bytes == 2ull << 30; }},
        {"16777215T", [](const Options& o) { return o.host_bytes == 16777215ull << 40; }}},
       {"", "K", "1k", "1.5G", "1GB", "-1", "16777216T", "99999999999999999999"}},
      {"KREPLAY_TIER",
       {{"auto", [](const Options& o) { return o.tier == Options::Tier::automatic; }},
        {"shadow", [](const Options& o) { return o.tier == Options::Tier::shadow; }},
        {"host", [](const Options& o) { return o.tier == Options::Tier::host; }}},
       {"", "guard", "T1"}},
      {"KREPLAY_VRAM_BYTES",
       {{"0", [](const Options& o) { return o.vram_bytes == 0; }},
        {"512M", [](const Options& o) { return o.vram_bytes == 512ull << 20; }}},
       {"", "K", "-1"}},
      flag("KREPLAY_KEEP_BAR", &Options::keep_bar),
      {"KREPLAY_REPLAY_KIND",
       {{"25", [](const Options& o) { return o.replay_kind == 25; }},
        {"26", [](const Options& o) { return o.replay_kind == 26; }}},
       {"", "24", "27"}},
      {"KREPLAY_HANDSHAKE", {{"/tmp/x", [](const Options& o) { return o.handshake == "/tmp/x"; }}}, {}},
      {"KREPLAY_LOG",
       {{"error", [](const Options&) { return true; }},
        {"warning", [](const Options&) { return true; }},
        {"info", [](const Options&) { return true; }},
        {"debug", [](const Options&) { return true; }}},
       {"", "trace", "4"}},
  };
}

}  // namespace

TEST_CASE("every variable of the table accepts its values and refuses others by name") {
  std::set<std::string_view> tested;
  for (const Case& variable : cases()) {
    tested.insert(variable.name);
    for (const auto& [value, check] : variable.good) {
      const std::string entry = std::string(variable.name) + "=" + value;
      INFO(entry);
      const Options options = read({entry.c_str()});
      CHECK(options.errors == std::vector<std::string>());
      CHECK(check(options));
    }
    for (const char* value : variable.bad) {
      const std::string entry = std::string(variable.name) + "=" + value;
      INFO(entry);
      const Options options = read({entry.c_str()});
      REQUIRE(options.errors.size() == 1);
      CHECK(has(options.errors[0], std::string(variable.name) + "=\"" + value + "\""));
      CHECK(has(options.errors[0], "; accepted: "));
    }
  }
  const auto names = kreplay::option_names();
  CHECK(tested == std::set<std::string_view>(names.begin(), names.end()));
}

TEST_CASE("a refused value leaves the default") {
  CHECK(read({"KREPLAY_PASSES=0"}).passes == 5);
  CHECK(read({"KREPLAY_KERNELS=("}).kernels.empty());
  CHECK(read({"KREPLAY_PASS_TIMEOUT=x"}).pass_timeout_ns == 20'000'000'000);
}

TEST_CASE("an unknown variable is refused and the closest name is offered") {
  const Options options = read({"KREPLAY_PASES=7", "PATH=/bin", "KREPLAYER=1"});
  REQUIRE(options.errors.size() == 1);
  CHECK(options.errors[0] == "KREPLAY_PASES=\"7\": no such variable; the closest one is KREPLAY_PASSES");
  CHECK(has(read({"KREPLAY_OUPTUT=x"}).errors.at(0), "KREPLAY_OUTPUT"));
  CHECK(has(read({"KREPLAY_DRAINTIMEOUT=x"}).errors.at(0), "KREPLAY_DRAIN_TIMEOUT"));
  CHECK(read({"KREPLAY_=x"}).errors.size() == 1);
}

TEST_CASE("each refused variable has its own sentence") {
  CHECK(
      read({"KREPLAY_PASSES=0", "KREPLAY_QUIET=2", "KREPLAY_NOPE=1", "KREPLAY_BATCH=split"}).errors.size() ==
      3);
}

TEST_CASE("variables of the software GPU and of others are left alone") {
  CHECK(read({"KREPLAY_SOFTGPU_VRAM=anything", "HOME=/", "KREPLAY", "KREPLAY_PASSES"}).errors.empty());
  CHECK(kreplay::read_options(nullptr).errors.empty());
}

TEST_CASE("of two entries with one name the first counts") {
  const Options options = read({"KREPLAY_PASSES=3", "KREPLAY_PASSES=bad"});
  CHECK(options.passes == 3);
  CHECK(options.errors.empty());
}

TEST_CASE("values are shortened and made printable in error sentences") {
  const std::string entry = "KREPLAY_PASSES=\x1b[31m" + std::string(5000, 'x');
  const std::string error = read({entry.c_str()}).errors.at(0);
  CHECK(error.size() < 300);
  CHECK(error.find('\x1b') == std::string::npos);
}

TEST_CASE("an expression too large for the library is an error, not an exception") {
  const std::string entry = "KREPLAY_KERNELS=(((a{1000}){1000}){1000})";
  CHECK(read({entry.c_str()}).errors.size() == 1);
  const std::string deep = "KREPLAY_EXCLUDE=" + std::string(1000, '(') + std::string(1000, ')');
  CHECK(read({deep.c_str()}).errors.empty());
  const std::string deeper = "KREPLAY_EXCLUDE=" + std::string(60000, '(') + std::string(60000, ')');
  CHECK(read({deeper.c_str()}).errors.size() == 1);
}

TEST_CASE("options as set are listed by name, with those of the software GPU") {
  const char* environment[] = {"KREPLAY_QUIET=1", "A=b", "KREPLAY_PASSES=3", "KREPLAY_SOFTGPU_CUS=4",
                               nullptr};
  using Set = std::vector<std::pair<std::string, std::string>>;
  CHECK(kreplay::options_as_set(environment) ==
        Set{{"KREPLAY_PASSES", "3"}, {"KREPLAY_QUIET", "1"}, {"KREPLAY_SOFTGPU_CUS", "4"}});
}

TEST_CASE("help names each variable and fits a terminal") {
  const std::string help = kreplay::options_help();
  for (const auto name : kreplay::option_names()) CHECK(has(help, std::string(name) + "="));
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("docs/environment.md holds the table as it is") {
  std::ifstream file(KREPLAY_SOURCE_DIR "/docs/environment.md");
  std::stringstream text;
  text << file.rdbuf();
  INFO("put this into the text block of docs/environment.md:\n" << kreplay::options_help());
  CHECK(has(text.str(), "```text\n" + kreplay::options_help() + "```\n"));
}
