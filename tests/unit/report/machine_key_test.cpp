#include "report/machine_key.hpp"

#include "fixtures.hpp"

using namespace kreplay::report;

TEST_CASE("C105: the key depends on the kind of machine, not on the run") {
  const fixtures::Folder root;
  const RunInfo info = fixtures::run_info();
  const Facts facts = machine_facts(info, root.path);
  CHECK(facts == Facts{{"agent0", "gfx906, Vega 20, 16384 MiB, 60 compute units"}, {"driver", "none"}});
  CHECK(machine_key(facts).size() == 16);

  RunInfo other_run = info;
  other_run.options.clear();
  other_run.runtime.clear();
  other_run.agents[0].node = 3;
  other_run.agents[0].memory_bytes += 4096;
  CHECK(machine_key(machine_facts(other_run, root.path)) == machine_key(facts));

  SECTION("another GPU") {
    RunInfo other = info;
    other.agents[0].product = "Vega 10";
    CHECK(machine_key(machine_facts(other, root.path)) != machine_key(facts));
  }
  SECTION("two GPUs") {
    RunInfo other = info;
    other.agents.push_back(other.agents[0]);
    CHECK(machine_key(machine_facts(other, root.path)) != machine_key(facts));
  }
  SECTION("another driver") {
    std::filesystem::create_directories(root / "sys/module/amdgpu");
    CHECK(machine_facts(info, root.path).back().second == "in-tree");
    std::ofstream(root / "sys/module/amdgpu/version") << "6.8.5\n";
    const Facts other = machine_facts(info, root.path);
    CHECK(other.back() == std::pair<std::string, std::string>("driver", "6.8.5"));
    CHECK(machine_key(other) != machine_key(facts));
  }
}

TEST_CASE("the key is FNV-1a over the facts, one a line") {
  CHECK(machine_key({}) == "cbf29ce484222325");
  CHECK(machine_key({{"a", "b"}, {"c", "d"}}) == machine_key({{"c", "d"}, {"a", "b"}}));
  CHECK(machine_key({{"a", "b"}}) == [] {
    uint64_t hash = 14695981039346656037u;
    for (const char c : std::string("a=b\n")) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char text[17];
    std::snprintf(text, sizeof text, "%016lx", static_cast<unsigned long>(hash));
    return std::string(text);
  }());
}
