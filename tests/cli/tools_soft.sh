#!/usr/bin/env bash
# Tools that fail make the run fail, and are named; the built-in tool never takes their place.
#   tools_soft.sh KREPLAY LAUNCHES CODE_OBJECT FAILING_TOOL NOT_A_TOOL
set -uo pipefail
. "$(dirname "$0")/expect.sh"
tool=$4 not_a_tool=$5
run() { # run HOW ACTIONS...
  local how=$1
  shift
  FAILING_TOOL=$how "$kreplay" run --device soft --quiet --tool "$tool" -- "$program" "$@"
}
silent() { # silent TEXT: what the command before printed does not have it
  ! grep -qF -- "$1" "$folder/out" && return
  echo "FAILED: output with \"$1\":"
  cat "$folder/out"
  failed=1
}

expect 125 'kreplay: tool failing: its initialize threw an exception: counters.yaml: no counter "SQ_WAVES"' run throw 2
silent "launched no kernel"
expect 125 "kreplay: tool failing: rocprofiler_configure threw an exception: licence has run out" run throw_configure 2
expect 125 "kreplay: tool failing: its initialize returned -3; it had been refused rocprofiler_configure_callback_tracing_service of OMPT" run error 2
expect 125 "kreplay: tool failing: rocprofiler_configure returned NULL" run null 2
# 134: bash's word for a child that SIGABRT ended.
expect 134 "ended in a tool, failing: its initialize, which had been refused rocprofiler_load_counter_definition" run abort 2
expect 134 "ended in a tool, failing: a callback" run abort_late 2
expect 125 "kreplay: tool failing: its CONFIG callback threw an exception: no such file: counters.yaml, at dispatch" run callback 2
expect 125 "$not_a_tool: it exports no rocprofiler_configure" "$kreplay" run --device soft --tool "$not_a_tool" -- "$program" 2
expect 125 "exports no rocprofiler_configure" env ROCP_TOOL_LIBRARIES="$not_a_tool" "$kreplay" run --device soft --allow-nothing -- "$program" 2

# A tool that wants nothing is not a program that does nothing.
expect 125 "nothing was measured: tool failing asked for no kernel replay" run idle 2
expect 125 "nothing was measured: the program launched no kernel" "$kreplay" run --device soft --quiet -- "$program" 0
expect 0 "" env FAILING_TOOL=idle "$kreplay" run --device soft --quiet --allow-nothing --tool "$tool" -- "$program" 2
exit $failed
