#!/usr/bin/env bash
# The kreplay command with the real library, on the software GPU: run, report, compare.
#   run_soft.sh KREPLAY HSA_PROGRAM CODE_OBJECT
set -uo pipefail
. "$(dirname "$0")/expect.sh"
expect 0 "results in $folder/run.jsonl" "$kreplay" run --device soft --passes 3 -o "$folder/run.jsonl" -- "$program"
expect 0 "" grep -q '"name":"gfx906".*"memory_bytes":[1-9]' "$folder/run.jsonl"
expect 0 count_up "$kreplay" report "$folder/run.jsonl"
expect 0 "kreplay: ok" "$kreplay" compare "$folder/run.jsonl" "$folder/run.jsonl"
expect 125 "none was selected" "$kreplay" run --device soft --kernels '^absent$' -- "$program"
expect 0 "" "$kreplay" run --device soft --kernels '^absent$' --allow-nothing -- "$program"
expect 125 "no process of the program used an HSA runtime" "$kreplay" run --device soft -- true
expect 1 "no process of the program used an HSA runtime" "$kreplay" run --device soft -- false
expect 125 "ran without replay: KREPLAY_ENABLE is off" env KREPLAY_ENABLE=0 "$kreplay" run --device soft -- "$program"
expect 77 "" "$kreplay" run --device soft -- sh -c "'$program' >/dev/null && exit 77"
expect 0 "" env KREPLAY_BACKTRACE=1 "$kreplay" run --device soft --passes 2 -o "$folder/sites.jsonl" -- "$program"
expect 0 "" grep -qE '"launch_site":"0x[0-9a-f]+ [^"]*main\+0x' "$folder/sites.jsonl"
exit $failed
