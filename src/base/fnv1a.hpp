// FNV-1a, 64 bit: a hash that every reader of our files can recompute. Not for use against an adversary.
#pragma once

#include <cstdint>
#include <string_view>

namespace kreplay {

/// Mix pieces of text or bytes in one after the other; the result depends on their concatenation only.
class Fnv1a {
 public:
  constexpr Fnv1a& mix(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return *this;
  }
  constexpr uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace kreplay
