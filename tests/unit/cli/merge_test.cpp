#include "cli/merge.hpp"

#include "fixtures.hpp"

using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

std::string made(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}
std::string text_in(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
std::string header_line(int rank) {
  return "{\"type\":\"header\",\"schema\":1,\"rank\":" + std::to_string(rank) + "}\n";
}
const std::string kTrailerLine = "{\"type\":\"trailer\"}\n";

}  // namespace

TEST_CASE("files are put together by rank, each line as it was") {
  const Folder folder;
  const auto one = made(
      folder / "a", header_line(1) + "{\"type\":\"dispatch\",\"id\":18446744073709551615}\n" + kTrailerLine);
  const auto zero = made(folder / "b", header_line(0) + kTrailerLine);
  const auto none = made(folder / "c", "{\"type\":\"header\",\"schema\":1}\n" + kTrailerLine);
  const auto merged = merge_results({none, one, zero}, folder / "out");
  REQUIRE(merged.ok());
  CHECK(merged->files == 3);
  CHECK(merged->notes.empty());
  CHECK(text_in(folder / "out") == text_in(zero) + text_in(one) + text_in(none));
}

TEST_CASE("a file that was cut off gives its whole lines, and a note") {
  const Folder folder;
  const auto cut = made(folder / "cut", header_line(0) + "{\"type\":\"kernel\"}\n{\"type\":\"disp");
  const auto whole = made(folder / "whole", header_line(1) + kTrailerLine);
  const auto merged = merge_results({cut, whole}, folder / "out");
  REQUIRE(merged.ok());
  REQUIRE(merged->notes.size() == 1);
  CHECK(has(merged->notes[0], "cut: has no trailer"));
  CHECK(text_in(folder / "out") == header_line(0) + "{\"type\":\"kernel\"}\n" + text_in(whole));
}

TEST_CASE("what is no result file is refused and leaves no output") {
  const Folder folder;
  const auto good = made(folder / "good", header_line(0) + kTrailerLine);
  for (const auto& bad :
       {made(folder / "empty", ""), made(folder / "text", "hello\n"),
        made(folder / "newer", "{\"type\":\"header\",\"schema\":99}\n"), folder / "absent", folder.path}) {
    INFO(bad);
    CHECK_FALSE(merge_results({good, bad}, folder / "out").ok());
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
  }
}

TEST_CASE("an output that exists is not overwritten, and a full disk is said") {
  const Folder folder;
  const auto good = made(folder / "good", header_line(0) + kTrailerLine);
  CHECK(has(merge_results({good}, good).status().message(), "File exists"));
  CHECK(text_in(good) == header_line(0) + kTrailerLine);
  CHECK_FALSE(merge_results({good}, folder / "no/such/folder").ok());
}

TEST_CASE("what is compressed, and standard input, are merged as what is in them") {
  const Folder folder;
  const std::string zero = header_line(0) + kTrailerLine;
  const std::string one = header_line(1) + "{\"type\":\"dispatch\"}\n" + kTrailerLine;
  made(folder / "0.jsonl", zero);
  made(folder / "1.jsonl", one);
  const std::string program = KREPLAY_PROGRAM;
  REQUIRE(fixtures::shell("gzip -k " + folder / "1.jsonl").code() == 0);
  const auto packed = merge_results({folder / "1.jsonl.gz", folder / "0.jsonl"}, folder / "packed");
  REQUIRE(packed.ok());
  CHECK(packed->notes.empty());
  CHECK(text_in(folder / "packed") == zero + one);
  const auto piped = fixtures::shell("cat " + folder / "1.jsonl.gz" + " | " + program + " merge -o " +
                                     folder / "piped" + " - " + folder / "0.jsonl");
  INFO(piped.text);
  CHECK(piped.code() == 0);
  CHECK(text_in(folder / "piped") == zero + one);
  // Cut off in the middle of the compressed data: what can be read is kept, and told.
  made(folder / "long.jsonl", header_line(2) + std::string(100, '\n'));
  REQUIRE(fixtures::shell("gzip " + folder / "long.jsonl" + " && truncate -s -9 " + folder / "long.jsonl.gz")
              .code() == 0);
  const auto cut = merge_results({folder / "long.jsonl.gz"}, folder / "cut");
  REQUIRE(cut.ok());
  REQUIRE(cut->notes.size() == 1);
  CHECK(has(cut->notes[0], "long.jsonl.gz: has no trailer"));
  made(folder / "broken.gz", "\x1f\x8b\x08garbage");
  const auto broken = merge_results({folder / "broken.gz"}, folder / "broken");
  CHECK_FALSE(broken.ok());
  CHECK_FALSE(std::filesystem::exists(folder / "broken"));
}
