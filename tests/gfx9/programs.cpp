// Runs every case of every *.s file below this folder, with each build of the lane code this CPU can run.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "support/runner.hpp"

namespace g = softgpu::gfx9;

namespace {

struct LaneBuild {
  const char* name;
  const g::ValuHooks* hooks;
};

std::vector<LaneBuild> lane_builds() {
  std::vector<LaneBuild> builds = {{"lanes_base", &g::lanes_base::valu_hooks()}};
  if (&g::valu_hooks() == &g::lanes_avx2::valu_hooks()) builds.push_back({"lanes_avx2", &g::valu_hooks()});
  return builds;
}

std::vector<std::string> case_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GFX9_CASES)) {
    if (entry.path().extension() == ".s") paths.push_back(entry.path().parent_path() / entry.path().stem());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

TEST_CASE("programs leave the expected registers and memory") {
  const std::vector<std::string> paths = case_paths();
  REQUIRE(paths.size() >= 5);
  for (const LaneBuild& build : lane_builds()) {
    gfx9_test::Runner runner(*build.hooks);
    for (const std::string& path : paths) {
      const auto cases = gfx9_test::read_cases(path);
      CHECK(!cases.empty());
      for (const gfx9_test::Case& c : cases) {
        INFO(build.name << " " << path << ".s:" << c.line << " " << c.name);
        std::string text;
        for (const std::string& difference : runner.run(c)) text += difference + "\n";
        CHECK(text == "");
      }
    }
  }
}
