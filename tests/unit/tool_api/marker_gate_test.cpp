// Which launches two markers select.
#include "tool_api/marker_gate.hpp"

#include <catch2/catch.hpp>
#include <thread>

using kreplay::tool_api::MarkerGate;

TEST_CASE("without markers the gate is open and stays so") {
  MarkerGate gate;
  gate.configure("", "");
  CHECK(gate.open());
  gate.push("a");
  gate.pop();
  gate.mark("a");
  CHECK(gate.open());
}

TEST_CASE("one text for both ends selects the range of that name, however deep and each time anew") {
  MarkerGate gate;
  gate.configure("step", "step");
  CHECK_FALSE(gate.open());
  for (int round = 0; round < 2; ++round) {
    gate.push("outer");
    CHECK_FALSE(gate.open());
    gate.push("step");
    CHECK(gate.open());
    gate.push("inner");
    gate.pop();
    CHECK(gate.open());
    gate.pop();
    CHECK_FALSE(gate.open());
    gate.pop();
  }
  gate.push("step 2");
  CHECK_FALSE(gate.open());
  gate.pop();
}

TEST_CASE("from a mark to the end of a range, and from a mark to a mark") {
  MarkerGate gate;
  gate.configure("go", "last");
  gate.mark("go");
  CHECK(gate.open());
  gate.push("last");
  CHECK(gate.open());  // up to its end
  gate.pop();
  CHECK_FALSE(gate.open());
  gate.mark("go");
  gate.mark("last");
  CHECK_FALSE(gate.open());
}

TEST_CASE("one end alone") {
  MarkerGate from, to;
  from.configure("go", "");
  CHECK_FALSE(from.open());
  from.push("go");
  from.pop();
  CHECK(from.open());
  to.configure("", "stop");
  CHECK(to.open());
  to.mark("stop");
  CHECK_FALSE(to.open());
}

TEST_CASE("ranges with an id may end on another thread and overlap") {
  MarkerGate gate;
  gate.configure("a", "b");
  gate.started("a", 1);
  gate.started("b", 2);
  gate.stopped(1);
  CHECK(gate.open());
  std::thread([&] { gate.stopped(2); }).join();
  CHECK_FALSE(gate.open());
  gate.stopped(2);  // an id that ended already
  gate.stopped(77);
}

TEST_CASE("ranges are nested per thread; ends without a start and deep nesting do no harm") {
  MarkerGate gate;
  gate.configure("r", "r");
  gate.pop();
  gate.push("r");
  std::thread([&] {
    gate.push("x");
    gate.pop();
    gate.pop();
  }).join();
  CHECK(gate.open());
  for (int i = 0; i < 200; ++i) gate.push("deep");
  for (int i = 0; i < 200; ++i) gate.pop();
  gate.mark("r");  // open and closed by turns
  CHECK_FALSE(gate.open());
}
