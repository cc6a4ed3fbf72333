#include "cli/code_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/pattern.hpp"

namespace kreplay::cli {
namespace {

std::string listed(const std::set<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

/// The hash of the whole code object changes with every other kernel in it, so it counts only where there is
/// none of the kernel's own code.
bool covered(const std::string& name, const Facts& facts) {
  return name == "code_object_hash" && facts.count("code_hash") != 0;
}

const std::set<std::string>* values_of(const Results& side, const std::string& kernel,
                                       const std::string& name) {
  const auto facts = side.facts.find(kernel);
  if (facts == side.facts.end()) return nullptr;
  const auto values = facts->second.find(name);
  return values == facts->second.end() ? nullptr : &values->second;
}

/// The largest of the numbers; false when there is none.
bool largest(const std::set<std::string>* values, double* out) {
  bool any = false;
  for (const std::string& text : values != nullptr ? *values : std::set<std::string>{}) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) continue;
    *out = any ? std::max(*out, value) : value;
    any = true;
  }
  return any;
}

/// Judges one fact of one kernel by one rule. @param base, fresh values; a side without one is null
void judge(const FactRule& rule, const double* base, double fresh, FactChange* out) {
  const auto fail = [out](FactChange::State state, std::string why) {
    out->state = state;
    out->why = std::move(why);
  };
  if (rule.most && fresh > *rule.most) {
    fail(FactChange::State::regression, fmt::format("{} is more than the limit of {}", fresh, *rule.most));
  } else if (rule.most && rule.ratchet && fresh < *rule.most) {
    fail(FactChange::State::stale,
         fmt::format("{} is less than the limit of {}, which is a ratchet: lower it", fresh, *rule.most));
  } else if (rule.growth && base != nullptr && fresh > *base * (1 + *rule.growth)) {
    fail(FactChange::State::regression,
         fmt::format("{} to {} is more than {:g} %", *base, fresh, 100 * *rule.growth));
  }
}

void add_limits(const Results& base, const Results& fresh, const Policy& policy,
                std::vector<FactChange>* out) {
  for (const auto& [kernel, facts] : fresh.facts) {
    for (const auto& [name, values] : facts) {
      const FactRule* rule = nullptr;
      for (const FactRule& one : policy.facts)
        if (one.name == name && (!one.kernel || one.kernel->found_in(kernel))) rule = &one;
      double value = 0;
      if (rule == nullptr || !largest(&values, &value)) continue;
      double before = 0;
      const std::set<std::string>* earlier = values_of(base, kernel, name);
      const bool known = largest(earlier, &before);
      FactChange judged{kernel,         name, earlier != nullptr ? listed(*earlier) : "absent",
                        listed(values), {},   {}};
      judge(*rule, known ? &before : nullptr, value, &judged);
      if (judged.state == FactChange::State::none) continue;
      const auto listed_already = std::find_if(out->begin(), out->end(), [&](const FactChange& one) {
        return one.kernel == judged.kernel && one.name == judged.name;
      });
      if (listed_already != out->end())
        *listed_already = judged;
      else
        out->push_back(judged);
    }
  }
}

}  // namespace

std::vector<FactChange> fact_changes(const Results& base, const Results& fresh, const Policy& policy) {
  std::vector<FactChange> changes;
  for (const auto& [kernel, facts] : base.facts) {
    const auto other = fresh.facts.find(kernel);
    if (other == fresh.facts.end()) continue;
    for (const auto& [name, values] : facts) {
      if (covered(name, facts) && covered(name, other->second)) continue;
      const auto theirs = other->second.find(name);  // a fact that one side does not record has not changed
      if (theirs != other->second.end() && theirs->second != values)
        changes.push_back({kernel, name, listed(values), listed(theirs->second), {}, {}});
    }
  }
  add_limits(base, fresh, policy, &changes);
  // Formats may show the first ones only.
  std::stable_sort(changes.begin(), changes.end(), [](const FactChange& a, const FactChange& b) {
    return a.state != b.state &&
           (a.state == FactChange::State::regression || b.state == FactChange::State::none);
  });
  return changes;
}

std::string code_of(const Results& side, const std::string& kernel) {
  const std::set<std::string>* values = values_of(side, kernel, "code_hash");
  return values != nullptr && values->size() == 1 ? *values->begin() : "";
}

std::string same_code(const Results& side, const Results& other, const std::string& code) {
  std::string found;
  for (const auto& [kernel, facts] : side.facts) {
    if (code.empty() || other.facts.count(kernel) != 0 || code_of(side, kernel) != code) continue;
    if (!found.empty()) return {};
    found = kernel;
  }
  return found;
}

std::string rename_rule(const std::string& from, const std::string& to) {
  std::string replace;
  for (const char c : to) replace += c == '$' ? "$$" : std::string(1, c);
  const char quote = replace.find('\'') == std::string::npos ? '\'' : '"';
  return fmt::format("[[rename]] match = '{}' replace = {}{}{}", Pattern::of_name(from), quote, replace,
                     quote);
}

}  // namespace kreplay::cli
