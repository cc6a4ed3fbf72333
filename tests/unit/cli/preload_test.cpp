#include "cli/preload.hpp"

#include "fixtures.hpp"

using namespace kreplay::cli;
using fixtures::Folder;

TEST_CASE("C90: ours comes first, what was there is kept, sanitizers stay in front, nothing is named twice") {
  CHECK(*preload_list("", {"/k/libkreplay.so"}) == "/k/libkreplay.so");
  CHECK(*preload_list("/m/libjemalloc.so", {"/k/libkreplay.so", "/k/libkreplay-softgpu.so"}) ==
        "/k/libkreplay.so:/k/libkreplay-softgpu.so:/m/libjemalloc.so");
  CHECK(*preload_list("/m/a.so /s/libasan.so.8:/m/b.so", {"/k/libkreplay.so"}) ==
        "/s/libasan.so.8:/k/libkreplay.so:/m/a.so:/m/b.so");
  CHECK(*preload_list("/old/libkreplay.so:/m/a.so:/m/a.so::", {"/k/libkreplay.so"}) ==
        "/k/libkreplay.so:/m/a.so");
  CHECK(*preload_list("/s/libclang_rt.asan-x86_64.so", {"/k/libkreplay.so"}) ==
        "/s/libclang_rt.asan-x86_64.so:/k/libkreplay.so");
}

TEST_CASE("a path that the loader cannot be told is refused") {
  CHECK(preload_list("", {"/my libs/libkreplay.so"}).error() == kreplay::Error::invalid_argument);
  CHECK(preload_list("", {"/a:b/libkreplay.so"}).error() == kreplay::Error::invalid_argument);
}

TEST_CASE("libraries are found beside the program and in its lib folder") {
  const Folder folder;
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::create_directories(folder / "lib");
  const auto missing = find_library("libx.so", folder / "bin/kreplay");
  CHECK(missing.error() == kreplay::Error::not_found);
  CHECK(fixtures::has(missing.status().message(), folder / "bin/../lib/libx.so"));
  std::ofstream(folder / "lib/libx.so") << "x";
  CHECK(*find_library("libx.so", folder / "bin/kreplay") ==
        std::filesystem::canonical(folder / "lib/libx.so"));
  // An installed one is in its private folder, whatever an earlier version left beside it.
  std::filesystem::create_directories(folder / KREPLAY_LIBDIR "/kreplay");
  std::ofstream(folder / KREPLAY_LIBDIR "/kreplay/libx.so") << "x";
  CHECK(*find_library("libx.so", folder / "bin/kreplay") ==
        std::filesystem::canonical(folder / KREPLAY_LIBDIR "/kreplay/libx.so"));
}

TEST_CASE("programs are looked up as a shell does") {
  const Folder folder;
  std::ofstream(folder / "tool") << "#!/bin/sh\n";
  CHECK(find_program("tool", folder.path).empty());  // not executable
  std::filesystem::permissions(folder / "tool", std::filesystem::perms::owner_all);
  CHECK(find_program("tool", "/nowhere::" + folder.path) == folder / "tool");
  CHECK(find_program(folder / "tool", "") == folder / "tool");
  CHECK(find_program(folder / "absent", "").empty());
  CHECK(find_program(folder.path, "").empty());
}

TEST_CASE("C88: what a preload cannot reach is recognised") {
  const Folder folder;
  CHECK(classify("/proc/self/exe") == ProgramKind::dynamic_program);
  CHECK(classify(folder / "absent") == ProgramKind::unknown);
  std::ofstream(folder / "script") << "#!/bin/sh\n";
  CHECK(classify(folder / "script") == ProgramKind::script);
  std::ofstream(folder / "text")
      << "hello, this is no program at all, only text that is long enough for a header....";
  CHECK(classify(folder / "text") == ProgramKind::unknown);
  // A header without segments is a static program; with the 32-bit mark it is for another processor.
  std::string header(64, '\0');
  header.replace(0, 7,
                 "\x7f"
                 "ELF\x02\x01\x01");
  header[18] = 62;
  std::ofstream(folder / "static") << header;
  CHECK(classify(folder / "static") == ProgramKind::static_program);
  header[4] = 1;
  std::ofstream(folder / "narrow") << header;
  CHECK(classify(folder / "narrow") == ProgramKind::other_class);
}
