// The limits file: TOML, with unknown settings refused, since a limit that is silently not applied is worse
// than none.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "cli/policy.hpp"
#include "cli/quantity.hpp"

namespace kreplay::cli {
namespace {

/// A setting that is refused; the text says where and why.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string place(const toml::node& node) {
  return fmt::format("line {}, column {}", node.source().begin.line, node.source().begin.column);
}

std::string text_of(const std::string& name, const toml::node& node) {
  const auto text = node.value_exact<std::string>();
  if (!text) throw Refused(fmt::format("{}: {} must be a text in quotes", place(node), name));
  return *text;
}

bool flag_of(const std::string& name, const toml::node& node) {
  const auto flag = node.value_exact<bool>();
  if (!flag) throw Refused(fmt::format("{}: {} must be true or false", place(node), name));
  return *flag;
}

double count_of(const std::string& name, const toml::node& node) {
  const auto count = node.value_exact<int64_t>();
  if (!count || *count < 0)
    throw Refused(fmt::format("{}: {} must be a whole number, 0 or more", place(node), name));
  return static_cast<double>(*count);
}

double checked(const toml::node& node, const Result<double>& value) {
  if (!value) throw Refused(place(node) + ": " + value.status().message());
  return *value;
}
double ratio_of(const std::string& name, const toml::node& node) {
  return checked(node, parse_ratio(text_of(name, node)));
}
double time_of(const std::string& name, const toml::node& node) {
  return checked(node, parse_time_ns(text_of(name, node)));
}

Pattern pattern_of(const std::string& name, const toml::node& node) {
  const Result<Pattern> pattern = Pattern::parse(text_of(name, node));
  if (!pattern) throw Refused(fmt::format("{}: {}: {}", place(node), name, pattern.status().message()));
  return *pattern;
}

/// The pattern that a table must have under this name.
Pattern required(const toml::table& table, const char* array, const char* name) {
  if (!table.contains(name)) throw Refused(fmt::format("{}: [[{}]] needs {}", place(table), array, name));
  return pattern_of(name, *table.get(name));
}

/// "limits.toml: line 4: [[kernel]] name = 'axpy'"
std::string where(const toml::table& table, const char* array, const char* name) {
  return fmt::format("{}: line {}: [[{}]] {} = '{}'", table.source().path ? *table.source().path : "limits",
                     table.source().begin.line, array, name, text_of(name, *table.get(name)));
}

using Setting = std::function<void(const std::string& name, const toml::node& node)>;
using Settings = std::map<std::string, Setting>;

void read_table(const toml::table& table, const Settings& settings) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto known = settings.find(name);
    if (known != settings.end()) {
      known->second(name, node);
      continue;
    }
    std::string names;
    for (const auto& [other, setting] : settings) names += (names.empty() ? "" : ", ") + other;
    throw Refused(fmt::format("{}: {} is unknown; accepted here: {}", place(node), name, names));
  }
}

/// Calls `read` for each table of an array of tables.
Setting each_table(const std::function<void(const toml::table&)>& read) {
  return [read](const std::string& name, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || !array->is_homogeneous<toml::table>())
      throw Refused(fmt::format("{}: {} must be written as [[{}]]", place(node), name, name));
    for (const toml::node& one : *array) read(*one.as_table());
  };
}

KernelRule rule_of(const toml::table& table) {
  KernelRule rule{required(table, "kernel", "name"), {}, {}, {}, false, {}, {}};
  read_table(
      table,
      {
          {"name", [](auto&, auto&) {}},
          {"grid", [&](auto& name, auto& node) { rule.grid = text_of(name, node); }},
          {"fail-over", [&](auto& name, auto& node) { rule.relative = ratio_of(name, node); }},
          {"min-effect", [&](auto& name, auto& node) { rule.absolute_ns = time_of(name, node); }},
          {"min-effect-per-run", [&](auto& name, auto& node) { rule.per_run_ns = time_of(name, node); }},
          {"ignore", [&](auto& name, auto& node) { rule.ignore = flag_of(name, node); }},
      });
  rule.where = where(table, "kernel", "name");
  return rule;
}

FactRule fact_of(const toml::table& table) {
  if (!table.contains("name")) throw Refused(place(table) + ": [[fact]] needs name");
  if (!table.contains("max") && !table.contains("max-growth"))
    throw Refused(place(table) + ": [[fact]] needs max or max-growth");
  FactRule rule;
  read_table(table, {
                        {"name", [&](auto& name, auto& node) { rule.name = text_of(name, node); }},
                        {"kernel", [&](auto& name, auto& node) { rule.kernel = pattern_of(name, node); }},
                        {"max", [&](auto& name, auto& node) { rule.most = count_of(name, node); }},
                        {"max-growth", [&](auto& name, auto& node) { rule.growth = ratio_of(name, node); }},
                        {"ratchet", [&](auto& name, auto& node) { rule.ratchet = flag_of(name, node); }},
                    });
  rule.where = where(table, "fact", "name");
  if (rule.kernel) rule.where += " with kernel = '" + text_of("kernel", *table.get("kernel")) + "'";
  if (rule.ratchet && !rule.most) throw Refused(place(table) + ": a ratchet needs max");
  return rule;
}

Rename rename_of(const toml::table& table) {
  Rename rename{required(table, "rename", "match"), {}, {}};
  if (!table.contains("replace")) throw Refused(place(table) + ": [[rename]] needs replace");
  read_table(table, {
                        {"match", [](auto&, auto&) {}},
                        {"replace", [&](auto& name, auto& node) { rename.replace = text_of(name, node); }},
                    });
  rename.where = where(table, "rename", "match");
  return rename;
}

void read_file(const toml::table& table, Policy* policy) {
  read_table(
      table,
      {
          {"fail-over", [&](auto& name, auto& node) { policy->limit.relative = ratio_of(name, node); }},
          {"min-effect", [&](auto& name, auto& node) { policy->limit.absolute_ns = time_of(name, node); }},
          {"min-effect-per-run",
           [&](auto& name, auto& node) { policy->limit.per_run_ns = time_of(name, node); }},
          {"run-over", [&](auto& name, auto& node) { policy->run.time = ratio_of(name, node); }},
          {"mean-over", [&](auto& name, auto& node) { policy->run.mean = ratio_of(name, node); }},
          {"kernel-run-over",
           [&](auto& name, auto& node) { policy->run.kernel_time = ratio_of(name, node); }},
          {"launches-over", [&](auto& name, auto& node) { policy->run.launches = ratio_of(name, node); }},
          {"allow-truncated", [&](auto& name, auto& node) { policy->allow_truncated = flag_of(name, node); }},
          {"allow-removed", [&](auto& name, auto& node) { policy->allow_removed = flag_of(name, node); }},
          {"kernel", each_table([&](const toml::table& one) { policy->rules.push_back(rule_of(one)); })},
          {"fact", each_table([&](const toml::table& one) { policy->facts.push_back(fact_of(one)); })},
          {"rename", each_table([&](const toml::table& one) { policy->renames.push_back(rename_of(one)); })},
      });
}

}  // namespace

Status read_policy(const std::string& path, Policy* policy) {
  try {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) return {Error::io, path + ": cannot be read"};
    read_file(toml::parse(text, path), policy);
  } catch (const std::ios_base::failure&) {  // a folder
    return {Error::io, path + ": cannot be read"};
  } catch (const toml::parse_error& error) {
    return {Error::invalid_argument,
            fmt::format("{}: line {}, column {}: {}", path, error.source().begin.line,
                        error.source().begin.column, error.description())};
  } catch (const Refused& refused) {
    return {Error::invalid_argument, fmt::format("{}: {}", path, refused.what())};
  }
  return {};
}

}  // namespace kreplay::cli
