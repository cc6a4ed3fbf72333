// What a result file may be: plain or compressed, a file, a pipe or standard input.
#include "cli/line_source.hpp"

#include <zlib.h>

#include "cli/results.hpp"
#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;
using fixtures::shell;

namespace {

const std::string kKreplayProgram = KREPLAY_PROGRAM;

/// Lines, joined with '|'; what is cut off has a '~'.
std::string lines_of_file(const std::string& path, Status* status = nullptr) {
  LineSource source(path);
  std::string text;
  Status opened = source.open();
  bool cut = false;
  for (std::string_view line; opened && source.next(&line, &cut);)
    text += std::string(line) + (cut ? "~" : "|");
  if (opened && source.ends_early()) text += "early";
  if (status != nullptr) *status = opened ? source.status() : opened;
  return text;
}

/// Compressed by zlib itself, which is not what reads it back.
std::string gzipped(const std::string& path, const std::string& text) {
  gzFile file = ::gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(::gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  REQUIRE(::gzclose(file) == Z_OK);
  return path;
}

}  // namespace

TEST_CASE("lines, also the last one without its newline, also very long ones") {
  const Folder folder;
  CHECK(lines_of_file(fixtures::write_file(folder / "a", "one\n\nthree\n")) == "one||three|");
  CHECK(lines_of_file(fixtures::write_file(folder / "b", "one\ntw")) == "one|tw~");
  CHECK(lines_of_file(fixtures::write_file(folder / "c", "")).empty());
  CHECK(lines_of_file(fixtures::write_file(folder / "d", "x")) == "x~");
  const std::string very_long(5 << 20, 'y');
  CHECK(lines_of_file(fixtures::write_file(folder / "e", "a\n" + very_long + "\nb\n")) ==
        "a|" + very_long + "|b|");
  std::string many;
  for (int i = 0; i < 300'000; ++i) many += std::to_string(i) + "\n";
  std::string want = many;
  std::replace(want.begin(), want.end(), '\n', '|');
  CHECK(lines_of_file(fixtures::write_file(folder / "f", many)) == want);
  CHECK(lines_of_file(gzipped(folder / "g", many)) == want);
}

TEST_CASE("gzip: told by content, several members, cut off, damaged") {
  const Folder folder;
  const std::string packed = fixtures::read_file(gzipped(folder / "a.gz", "one\ntwo\n"));
  CHECK(lines_of_file(fixtures::write_file(folder / "no-suffix", packed)) == "one|two|");
  CHECK(lines_of_file(fixtures::write_file(folder / "twice", packed + packed)) == "one|two|one|two|");
  CHECK(lines_of_file(fixtures::write_file(folder / "padded", packed + std::string(512, '\0'))) ==
        "one|two|");
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i * 7919 % 10'007) + "\n";
  const std::string large = fixtures::read_file(gzipped(folder / "large.gz", text));
  Status status;
  const std::string part =
      lines_of_file(fixtures::write_file(folder / "cut", large.substr(0, large.size() / 2)), &status);
  CHECK(status.ok());
  CHECK(part.size() > 1000);
  CHECK(has(part, "early"));
  std::string damaged = large;
  for (size_t i = damaged.size() / 2; i < damaged.size() / 2 + 40; ++i)
    damaged[i] = static_cast<char>(~damaged[i]);
  lines_of_file(fixtures::write_file(folder / "damaged", damaged), &status);
  CHECK(status.code() == Error::io);
  CHECK(has(status.message(), "compressed data are damaged"));
}

TEST_CASE("report and compare read compressed files and standard input, with the same result") {
  const Folder folder;
  const std::string plain = fixtures::write_results(folder / "a.jsonl", {{"f()", {10'000, 11'000, 12'000}}});
  const std::string packed = gzipped(folder / "a.jsonl.gz", fixtures::read_file(plain));
  const std::string report = kKreplayProgram + " report --format md ";
  const std::string want = shell(report + plain).text;
  CHECK(has(want, "11.0 us"));
  CHECK(shell(report + packed).text == want);
  CHECK(shell(report + "- < " + plain).text == want);
  CHECK(shell("cat " + packed + " | " + report + "-").text == want);
  const auto judged = shell(kKreplayProgram + " compare " + plain + " " + plain);
  CHECK(has(judged.text, "11.0 us"));
  CHECK(shell(kKreplayProgram + " compare " + packed + " - < " + plain).text == judged.text);
  std::filesystem::create_directory(folder / "runs");
  gzipped(folder / "runs/1.jsonl.gz", fixtures::read_file(plain));
  CHECK(shell(kKreplayProgram + " compare " + folder / "runs" + " " + plain).text == judged.text);
  const auto empty = shell(report + "- < /dev/null");
  CHECK(empty.code() == 2);
  CHECK(has(empty.text, "standard input: is empty"));
  const auto closed = shell(report + "- <&-");
  CHECK(closed.code() == 2);
  CHECK(has(closed.text, "standard input: Bad file descriptor"));
}
