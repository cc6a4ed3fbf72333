// Appending JSON to a buffer without building a tree: a line costs no allocation while it fits the buffer,
// and running out of memory half-way is an exception (the JSON library's destructors allocate, and end the
// process).
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
