#include "support/case_file.hpp"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace gfx9_test {
namespace {

[[noreturn]] void bad(int line, const std::string& what) {
  throw std::runtime_error(fmt::format("line {}: {}", line, what));
}

/// IEEE half from a value that a half can hold exactly (or rounded to nearest even).
uint16_t half_bits(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double a = std::fabs(value);
  if (std::isnan(a)) return sign | 0x7e00;
  if (a >= 65520) return sign | 0x7c00;
  int exponent = 0;
  std::frexp(a, &exponent);
  const int scale = std::max(exponent - 11, -24);  // unit of the last place
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(a, -scale)));
  if (scale == -24) return static_cast<uint16_t>(sign | units);
  return static_cast<uint16_t>(sign | ((units - 1024) + (static_cast<uint32_t>(scale + 25) << 10)));
}

Value parse_value(const std::string& text, bool pair, int line) {
  if (text == "any") return {0, pair, Value::Match::any};
  if (text == "nan32") return {0, false, Value::Match::nan32};
  if (text == "nan64") return {0, true, Value::Match::nan64};
  const bool hex = text.find("0x") != std::string::npos;
  const char suffix = hex && text.back() != 'q' ? ' ' : text.back();
  size_t used = 0;
  try {
    switch (suffix) {
      case 'f':
        return {std::bit_cast<uint32_t>(std::stof(text, &used)), false};
      case 'd':
        return {std::bit_cast<uint64_t>(std::stod(text, &used)), true};
      case 'h':
        return {half_bits(std::stod(text, &used)), false};
      default:
        break;
    }
    const bool negative = text[0] == '-';
    const uint64_t magnitude = std::stoull(negative ? text.substr(1) : text, &used, 0);
    const uint64_t bits = negative ? 0 - magnitude : magnitude;
    const bool wide = pair || suffix == 'q';
    return {wide ? bits : bits & 0xffffffffu, wide};
  } catch (const std::exception&) {
    bad(line, "not a value: " + text);
  }
}

Setting parse_place(std::istringstream& in, int line) {
  static const std::map<std::string, std::pair<unsigned, bool>> kNamed = {
      {"vcc", {106, true}},          {"exec", {126, true}},     {"m0", {124, false}},
      {"flat_scratch", {102, true}}, {"exec_lo", {126, false}}, {"vcc_lo", {106, false}},
      {"exec_hi", {127, false}},     {"vcc_hi", {107, false}}};
  std::string name;
  in >> name;
  Setting s{};
  s.line = line;
  if (name == "mem" || name == "lds") {
    std::string address;
    in >> address;
    s.place = name == "mem" ? Setting::Place::mem : Setting::Place::lds;
    s.index = std::stoull(address, nullptr, 0);
  } else if (name == "scc") {
    s.place = Setting::Place::scc;
  } else if (name == "mode") {
    s.place = Setting::Place::mode;
  } else if (const auto it = kNamed.find(name); it != kNamed.end()) {
    s.place = Setting::Place::sgpr;
    s.index = it->second.first;
    s.pair = it->second.second;
  } else if (name.size() > 1 && (name[0] == 's' || name[0] == 'v')) {
    s.place = name[0] == 's' ? Setting::Place::sgpr : Setting::Place::vgpr;
    s.pair = name[1] == '[';
    s.index = std::stoull(name.substr(s.pair ? 2 : 1));
  } else {
    bad(line, "unknown place: " + name);
  }
  return s;
}

Setting parse_setting(const std::string& text, int line) {
  std::istringstream in(text);
  Setting s = parse_place(in, line);
  std::string equals, word;
  in >> equals;
  if (equals != "=") bad(line, "expected '='");
  while (in >> word) {
    if (word == "iota") {
      s.iota = true;
    } else if (word[0] == '/') {
      break;  // a comment
    } else {
      s.values.push_back(parse_value(word, s.pair, line));
    }
  }
  if (s.values.empty() || (s.iota && s.values.size() != 2)) bad(line, "wrong number of values");
  return s;
}

bool starts_with(const std::string& line, const char* prefix) { return line.rfind(prefix, 0) == 0; }

}  // namespace

std::map<std::string, std::vector<uint32_t>> read_words(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::map<std::string, std::vector<uint32_t>> code;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    std::istringstream in(line.substr(colon + 1));
    std::vector<uint32_t>& words = code[line.substr(0, colon)];
    std::string word;
    while (in >> word) words.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
  }
  return code;
}

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path + ".s");
  if (!file) throw std::runtime_error(path + ".s: cannot be read");
  auto code = read_words(path + ".hex");
  std::vector<Case> cases;
  std::string line, target = "gfx906";
  try {
    for (int n = 1; std::getline(file, line); ++n) {
      line.erase(0, line.find_first_not_of(" \t"));
      if (starts_with(line, "//# target ")) {
        target = line.substr(11);
      } else if (starts_with(line, "//# case ")) {
        Case c;
        c.name = line.substr(9);
        c.target = target;
        c.line = n;
        const auto it = code.find(c.name);
        if (it == code.end()) bad(n, "no words for this case in the .hex file; run assemble.py");
        c.code = it->second;
        cases.push_back(std::move(c));
      } else if (starts_with(line, "//=") || starts_with(line, "//!")) {
        if (cases.empty()) bad(n, "before the first case");
        Case& c = cases.back();
        const std::string rest = line.substr(3);
        if (starts_with(rest, " fault ")) {
          c.fault = rest.substr(7);
        } else {
          (line[2] == '=' ? c.after : c.before).push_back(parse_setting(rest, n));
        }
      }
    }
  } catch (const std::exception& e) {
    throw std::runtime_error(path + ".s: " + e.what());
  }
  for (const Case& c : cases) {
    if (c.after.empty() && c.fault.empty())
      throw std::runtime_error(fmt::format("{}.s:{}: expects nothing", path, c.line));
  }
  return cases;
}

}  // namespace gfx9_test
