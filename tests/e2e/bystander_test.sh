#!/usr/bin/env bash
# Processes that inherit the preload and never use the GPU: no thread, no descriptor, no file, no runtime, no call
# into it, no word. A shell script around a program that does: the program's results, and nobody else's.
#   bystander_test.sh LIBKREPLAY SOFTGPU COUNTING_LAYER HSA_PROGRAM CODE_OBJECT
set -uo pipefail
library=$1 softgpu=$2 layer=$3 program=$4
export E2E_CODE_OBJECT=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
check() {
  local what=$1
  shift
  if ! "$@"; then
    echo "FAILED: $what"
    failures=$((failures + 1))
  fi
}
results() { find "$folder" -name '*.jsonl' | wc -l; }
export KREPLAY_OUTPUT=$folder/run-%p.jsonl
shim() { LD_PRELOAD=$library "$@"; }

threads=$(shim awk '/^Threads:/ {print $2}' /proc/self/status 2>"$folder/err")
check "one thread" test "$threads" = 1
check "the usual descriptors" test "$(shim ls /proc/self/fd 2>>"$folder/err" | wc -l)" = "$(ls /proc/self/fd | wc -l)"
check "no runtime is loaded" test "$(shim grep -cE 'hsa-runtime|amdhip' /proc/self/maps 2>>"$folder/err")" = 0
shim sh -c 'exit 3' 2>>"$folder/err"
check "the status is the program's" test $? = 3
check "no result file" test "$(results)" = 0
check "nothing on standard error" test ! -s "$folder/err"
E2E_COUNTING_OUTPUT=$folder/calls LD_PRELOAD=$library:$layer /bin/true
check "no call into the runtime" grep -qF '{"calls": {},' "$folder/calls"

# The shell, its children and the program inherit everything; only the program has something to say.
cat >"$folder/wrapper.sh" <<'WRAPPER'
#!/bin/sh
echo before | cat
"$1" >/dev/null || exit 1
echo after | cat
exit 7
WRAPPER
chmod +x "$folder/wrapper.sh"
output=$(KREPLAY_PASSES=2 KREPLAY_QUIET=1 LD_PRELOAD=$library:$softgpu "$folder/wrapper.sh" "$program" 2>"$folder/err")
check "the script's status" test $? = 7
check "the script's output" test "$output" = "before
after"
check "nothing on standard error of the script" test ! -s "$folder/err"
check "one result file" test "$(results)" = 1
check "it is the program's" grep -qF "\"program\":\"$program\"" "$folder"/run-*.jsonl
check "with replayed dispatches" grep -q '"outcome":"replayed"' "$folder"/run-*.jsonl
[ "$failures" = 0 ] || { echo "standard error:"; cat "$folder/err"; ls "$folder"; }
exit $((failures > 0))
