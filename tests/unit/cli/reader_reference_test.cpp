// The reader against another library for JSON: of very many damaged lines both accept the same ones, and both
// see the same numbers.
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "cli/result_reader.hpp"
#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

using Json = nlohmann::json;

/// Unsigned; "-0" is, too.
bool is_number(const Json& json) {
  return json.is_number_unsigned() || (json.is_number_integer() && json.get<int64_t>() == 0);
}

bool has_sizes(const Json& json) {
  return json.is_array() && json.size() >= 3 && std::all_of(json.begin(), json.end(), [](const Json& size) {
           return is_number(size) && size.get<uint64_t>() <= UINT32_MAX;
         });
}

bool known(const Json& json, const std::string& all) {
  return json.is_string() && has(all, "|" + json.get<std::string>() + "|");
}

/// Whether docs/results.md lets a dispatch line be so. @param kernels their ids
bool is_dispatch(const Json& line, const std::set<uint64_t>& kernels) {
  for (const char* name :
       {"id", "launch", "agent", "queue", "thread", "correlation", "passes_requested", "passes_run",
        "extents", "bytes_saved", "bytes_restored", "save_ns", "restore_ns", "window_ns", "unverified_bytes"})
    if (!line.contains(name) || !is_number(line[name])) return false;
  for (const char* name : {"warmup", "lds_bytes", "bytes_link"})
    if (line.contains(name) && !is_number(line[name])) return false;
  for (const char* name : {"detail", "tier", "cache", "passes_end", "launch_site"})
    if (line.contains(name) && !line[name].is_string()) return false;
  for (const char* name : {"kernel", "grid", "workgroup", "outcome", "reason", "passes"})
    if (!line.contains(name)) return false;
  const Json& kernel = line["kernel"];
  if (!kernel.is_null() && (!is_number(kernel) || kernels.count(kernel.get<uint64_t>()) == 0)) return false;
  if (!has_sizes(line["grid"]) || !has_sizes(line["workgroup"])) return false;
  if (!known(line["outcome"], "|replayed|stopped|declined|opted_out|")) return false;
  if (!known(line["reason"], "|none|graph|filtered|budget|")) return false;
  if (!line["passes"].is_array()) return false;
  for (const Json& pass : line["passes"]) {
    if (!pass.is_array() || pass.size() < 2) return false;
    for (const Json& time : pass)
      if (!is_number(time)) return false;
  }
  return true;
}

struct Sum : ResultVisitor {
  uint64_t dispatches = 0, numbers = 0;
  void header(const HeaderLine& /*line*/) override {}
  void dispatch(const DispatchLine& line) override {
    ++dispatches;
    numbers += line.record.dispatch_id + line.record.window_ns + line.record.grid[0];
    for (const report::PassTime& pass : line.passes) numbers += pass.start_ns + 3 * pass.end_ns;
  }
};

}  // namespace

TEST_CASE("of damaged lines those are read that another reader of JSON finds good") {
  const Folder folder;
  const std::string path = fixtures::write_results(
      folder / "a.jsonl", {{"f(int)", {10, 20, 30}}, {"\"quoted\\\" \xc3\xa4 name", {40}}, {"g()", {}}},
      "Vega 20", false);
  const std::string text = fixtures::read_file(path);
  std::string before;
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (has(line, "\"type\":\"dispatch\""))
      lines.push_back(line);
    else
      before += line + "\n";
  }
  REQUIRE(lines.size() == 3);
  std::mt19937 random(11);
  const std::string bytes = "0123456789\"{}[],:.-+eEntfx \\\x80\xff";
  std::string damaged = before;
  uint64_t good = 0, numbers = 0, bad = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string line = lines[random() % lines.size()];
    for (unsigned n = random() % 4; n > 0; --n) {
      const size_t at = random() % line.size();
      const int how = static_cast<int>(random() % 3);
      if (how == 0) line[at] = bytes[random() % bytes.size()];
      if (how == 1) line.erase(at, 1 + random() % 3);
      if (how == 2) line.insert(at, 1, bytes[random() % bytes.size()]);
    }
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("type") && json["type"].is_string() && json["type"] != "dispatch")
      continue;
    damaged += line + "\n";
    if (!json.is_object() || !json.contains("type") || !json["type"].is_string() ||
        !is_dispatch(json, {1, 2, 3})) {
      ++bad;
      continue;
    }
    ++good;
    numbers +=
        json["id"].get<uint64_t>() + json["window_ns"].get<uint64_t>() + json["grid"][0].get<uint64_t>();
    for (const Json& pass : json["passes"]) numbers += pass[0].get<uint64_t>() + 3 * pass[1].get<uint64_t>();
  }
  Sum sum;
  Notes notes;
  REQUIRE(read_result_file(fixtures::write_file(folder / "b.jsonl", damaged), sum, &notes).ok());
  REQUIRE(good > 5'000);
  REQUIRE(bad > 5'000);
  CHECK(sum.dispatches == good);
  CHECK(sum.numbers == numbers);
  CHECK(has(notes.back(), std::to_string(bad) + " lines could not be understood"));
}

TEST_CASE("members in another order, twice, or unknown are read all the same") {
  const Folder folder;
  std::string text = fixtures::read_file(fixtures::write_results(folder / "a.jsonl", {{"f()", {10, 20}}}));
  const size_t begin = text.find("{\"type\":\"dispatch\"");
  const size_t end = text.find('\n', begin);
  const auto json = nlohmann::ordered_json::parse(text.substr(begin, end - begin));
  std::string reversed;
  for (const auto& [name, value] : json.items())
    reversed = nlohmann::json(name).dump() + ":" + value.dump() + (reversed.empty() ? "" : "," + reversed);
  // Of members of equal names the last one counts.
  text.insert(end + 1, "{\"window_ns\":5,\"later\":{\"id\":[1,2]}," + reversed + "}\n{" + reversed +
                           ",\"window_ns\":7}\n");
  struct Windows : Sum {
    std::vector<uint64_t> windows;
    void dispatch(const DispatchLine& line) override {
      windows.push_back(line.record.window_ns);
      Sum::dispatch(line);
    }
  } seen;
  Notes notes;
  REQUIRE(read_result_file(fixtures::write_file(folder / "b.jsonl", text), seen, &notes).ok());
  CHECK(notes.empty());
  CHECK(seen.windows == std::vector<uint64_t>{0, 0, 7});
}

TEST_CASE("files that were joined although one ends within a line: the next begins where its header stands") {
  const Folder folder;
  const std::string text =
      fixtures::read_file(fixtures::write_results(folder / "a.jsonl", {{"f()", {10}}, {"g()", {20}}}));
  const size_t header = text.find('\n') + 1;
  for (const size_t cut : {header / 2, header - 1, header + 10, text.find("\"outcome\""), text.size() - 5}) {
    INFO(cut);
    Sum sum;
    Notes notes;
    REQUIRE(
        read_result_file(fixtures::write_file(folder / "b.jsonl", text.substr(0, cut) + text), sum, &notes)
            .ok());
    CHECK(sum.dispatches == (cut == text.size() - 5 ? 4 : 2));
    CHECK(notes.size() == 1);
  }
  Sum sum;
  Notes notes;
  const Status read =
      read_result_file(fixtures::write_file(folder / "c.jsonl", text.substr(0, header / 2)), sum, &notes);
  CHECK(has(read.message(), "ends within its first line"));
}
