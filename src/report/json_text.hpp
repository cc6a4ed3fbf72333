// Appending JSON to a buffer without building a tree: for the lines written per dispatch. Headers and
// trailers, which are rare, use the JSON library.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace kreplay::report {

using LineBuffer = fmt::basic_memory_buffer<char, 1024>;

/// Appends `text` as it is.
inline void append(LineBuffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}
/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so that a kernel
/// name from anywhere leaves the line readable.
void append_string(LineBuffer& out, std::string_view text);

}  // namespace kreplay::report
