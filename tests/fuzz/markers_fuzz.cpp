// roctx marks and ranges. The input: the text that opens, the text that closes, then events, one a line,
// whose first letter says what happens.
#include "fuzz/fuzz.hpp"
#include "tool_api/marker_gate.hpp"

namespace {

std::string_view line(std::string_view* rest) {
  const size_t end = std::min(rest->find('\n'), rest->size());
  const std::string_view out = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest = fuzz::text(data, size);
  const std::string from(line(&rest)), to(line(&rest));
  // The nesting of ranges is the thread's; each input begins with none.
  kreplay::tool_api::MarkerGate gate;
  gate.configure(from, to);
  FUZZ_CHECK(gate.open() == from.empty());
  bool was_open = gate.open();
  unsigned depth = 0;
  while (!rest.empty()) {
    const std::string_view event = line(&rest);
    const std::string_view text = event.substr(std::min<size_t>(1, event.size()));
    switch (event.empty() ? 'm' : event[0]) {
      case '<':
        gate.push(text);
        ++depth;
        break;
      case '>':
        gate.pop();
        depth -= depth != 0 ? 1 : 0;
        break;
      case 's':
        gate.started(text, text.size() % 4);
        break;
      case 'e':
        gate.stopped(text.size() % 4);
        break;
      default:
        gate.mark(text);
        break;
    }
    if (to.empty()) FUZZ_CHECK(gate.open() || !was_open);  // nothing closes it
    if (from.empty() && to.empty()) FUZZ_CHECK(gate.open());
    was_open = gate.open();
  }
  while (depth-- != 0) gate.pop();
  return 0;
}
