#include "kfd/options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace softgpu::kfd {
namespace {

constexpr std::string_view kPrefix = "KREPLAY_SOFTGPU_";
constexpr uint64_t kMinVramBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxVramBytes = uint64_t{1} << 40;

std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> number_between(std::string_view text, uint64_t low, uint64_t high) {
  const auto value = whole_number(text);
  return value && *value >= low && *value <= high ? value : std::nullopt;
}

bool set_count(uint32_t& field, std::string_view text, uint64_t high) {
  const auto value = number_between(text, 1, high);
  if (value) field = static_cast<uint32_t>(*value);
  return value.has_value();
}

bool set_switch(bool& field, std::string_view text) {
  if (text != "0" && text != "1") return false;
  field = text == "1";
  return true;
}

bool set_bytes(uint64_t& field, std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) text.remove_suffix(1);
  const auto value = number_between(text, 1, kMaxVramBytes >> shift);
  if (!value || (*value << shift) < kMinVramBytes) return false;
  field = (*value << shift) & ~uint64_t{4095};
  return true;
}

/// Only what the interpreter runs.
bool set_target(uint32_t& field, std::string_view text) {
  if (text == "gfx900") {
    field = 90000;
  } else if (text == "gfx906") {
    field = 90006;
  } else if (text == "gfx90a") {
    field = 90010;
  } else {
    return false;
  }
  return true;
}

struct Row {
  std::string_view name;  ///< behind the prefix
  bool (*set)(Options&, std::string_view);
  std::string_view accepted;
};

constexpr std::array kRows = {
    Row{"GPUS", [](Options& o, std::string_view v) { return set_count(o.gpus, v, kMaxGpus); },
        "a whole number, 1 to 8"},
    Row{"CUS", [](Options& o, std::string_view v) { return set_count(o.compute_units, v, 128); },
        "a whole number, 1 to 128"},
    Row{"VRAM", [](Options& o, std::string_view v) { return set_bytes(o.vram_bytes, v); },
        "bytes, 64M to 1024G, with an optional suffix K, M or G"},
    Row{"LARGE_BAR", [](Options& o, std::string_view v) { return set_switch(o.large_bar, v); }, "0 or 1"},
    Row{"GFX", [](Options& o, std::string_view v) { return set_target(o.gfx_target_version, v); },
        "gfx900, gfx906 or gfx90a"},
    Row{"TRACE", [](Options& o, std::string_view v) { return set_switch(o.trace, v); }, "0 or 1"},
};

std::string known_names() {
  std::string names;
  for (const Row& row : kRows) names += fmt::format("{}{}{}", names.empty() ? "" : ", ", kPrefix, row.name);
  return names;
}

}  // namespace

ParsedOptions parse_options(const char* const* environment) {
  ParsedOptions parsed;
  if (environment == nullptr) return parsed;
  for (; *environment != nullptr; ++environment) {
    std::string_view entry(*environment);
    if (!entry.starts_with(kPrefix)) continue;
    const size_t equals = entry.find('=');
    const std::string_view full = entry.substr(0, equals);
    const std::string_view name = full.substr(kPrefix.size());
    const std::string_view value = equals == std::string_view::npos ? "" : entry.substr(equals + 1);
    const Row* found = nullptr;
    for (const Row& row : kRows) {
      if (row.name == name) found = &row;
    }
    if (found == nullptr) {
      parsed.errors.push_back(
          fmt::format("{}='{}': no such variable; known are {}", full, value, known_names()));
    } else if (!found->set(parsed.options, value)) {
      parsed.errors.push_back(fmt::format("{}='{}': accepted is {}", full, value, found->accepted));
    }
  }
  return parsed;
}

}  // namespace softgpu::kfd
