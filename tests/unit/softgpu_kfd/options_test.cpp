#include "kfd/options.hpp"

#include <catch2/catch.hpp>

namespace softgpu::kfd {
namespace {

ParsedOptions parse(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  return parse_options(environment.data());
}

}  // namespace

TEST_CASE("without variables the defaults hold") {
  for (const ParsedOptions& parsed : {parse({"PATH=/bin", "KREPLAY_PASSES=7"}), parse_options(nullptr)}) {
    CHECK(parsed.errors.empty());
    CHECK(parsed.options.gpus == 1);
    CHECK(parsed.options.compute_units == 8);
    CHECK(parsed.options.vram_bytes == uint64_t{16} << 30);
    CHECK(parsed.options.large_bar);
    CHECK(parsed.options.gfx_target_version == 90006);
    CHECK_FALSE(parsed.options.trace);
  }
}

TEST_CASE("every variable is taken") {
  const ParsedOptions parsed =
      parse({"KREPLAY_SOFTGPU_GPUS=2", "KREPLAY_SOFTGPU_CUS=60", "KREPLAY_SOFTGPU_VRAM=512M",
             "KREPLAY_SOFTGPU_LARGE_BAR=0", "KREPLAY_SOFTGPU_GFX=gfx900", "KREPLAY_SOFTGPU_TRACE=1"});
  CHECK(parsed.errors.empty());
  CHECK(parsed.options.gpus == 2);
  CHECK(parsed.options.compute_units == 60);
  CHECK(parsed.options.vram_bytes == uint64_t{512} << 20);
  CHECK_FALSE(parsed.options.large_bar);
  CHECK(parsed.options.gfx_target_version == 90000);
  CHECK(parsed.options.trace);
}

TEST_CASE("sizes: plain bytes and suffixes") {
  CHECK(parse({"KREPLAY_SOFTGPU_VRAM=67108864"}).options.vram_bytes == uint64_t{64} << 20);
  CHECK(parse({"KREPLAY_SOFTGPU_VRAM=1048576K"}).options.vram_bytes == uint64_t{1} << 30);
  CHECK(parse({"KREPLAY_SOFTGPU_VRAM=3G"}).options.vram_bytes == uint64_t{3} << 30);
}

TEST_CASE("a bad value names variable, value and what is accepted") {
  const auto [entry, accepted] = GENERATE(table<const char*, const char*>({
      {"KREPLAY_SOFTGPU_GPUS=0", "1 to 8"},
      {"KREPLAY_SOFTGPU_GPUS=9", "1 to 8"},
      {"KREPLAY_SOFTGPU_GPUS=-1", "1 to 8"},
      {"KREPLAY_SOFTGPU_GPUS=2x", "1 to 8"},
      {"KREPLAY_SOFTGPU_GPUS=", "1 to 8"},
      {"KREPLAY_SOFTGPU_CUS=eight", "1 to 128"},
      {"KREPLAY_SOFTGPU_VRAM=16T", "suffix K, M or G"},
      {"KREPLAY_SOFTGPU_VRAM=G", "suffix K, M or G"},
      {"KREPLAY_SOFTGPU_VRAM=1M", "64M to 1024G"},
      {"KREPLAY_SOFTGPU_VRAM=18446744073709551615G", "64M to 1024G"},
      {"KREPLAY_SOFTGPU_LARGE_BAR=yes", "0 or 1"},
      {"KREPLAY_SOFTGPU_GFX=gfx942", "gfx900, gfx906 or gfx90a"},
      {"KREPLAY_SOFTGPU_TRACE=2", "0 or 1"},
  }));
  const ParsedOptions parsed = parse({entry});
  REQUIRE(parsed.errors.size() == 1);
  const std::string text(entry);
  const size_t equals = text.find('=');
  CHECK(parsed.errors[0].find(text.substr(0, equals)) == 0);
  CHECK(parsed.errors[0].find("'" + text.substr(equals + 1) + "'") != std::string::npos);
  CHECK(parsed.errors[0].find(accepted) != std::string::npos);
}

TEST_CASE("an unknown variable is an error that lists the known ones; every error is reported") {
  const ParsedOptions parsed =
      parse({"KREPLAY_SOFTGPU_GPU=1", "KREPLAY_SOFTGPU_CUS=0", "KREPLAY_SOFTGPU_GPUS=3"});
  REQUIRE(parsed.errors.size() == 2);
  CHECK(parsed.errors[0].find("KREPLAY_SOFTGPU_GPU='1'") == 0);
  for (const char* name : {"GPUS", "CUS", "VRAM", "LARGE_BAR", "GFX", "TRACE"})
    CHECK(parsed.errors[0].find(std::string("KREPLAY_SOFTGPU_") + name) != std::string::npos);
  CHECK(parsed.options.gpus == 3);
}

}  // namespace softgpu::kfd
