#!/usr/bin/env bash
# Progress is painted on a terminal and nowhere else.
#   terminal_soft.sh KREPLAY LAUNCHES CODE_OBJECT
set -uo pipefail
. "$(dirname "$0")/expect.sh"
command -v script >/dev/null || { echo "skipped: script(1) is not installed (Debian: bsdutils)"; exit 77; }
# on_terminal OPTIONS...: a run that is long enough to be painted, with a terminal as its output
on_terminal() {
  script -qec "'$kreplay' run --device soft --quiet --passes 3 $* -- '$program' 4000" /dev/null </dev/null >"$folder/typed" 2>&1
}
on_terminal
expect 0 "" grep -qE 'kreplay: [0-9]+ s, [0-9]+ launches, [0-9]+ passes, count_up' "$folder/typed"
on_terminal --no-progress
expect 1 "" grep -q 'passes, count_up' "$folder/typed"
"$kreplay" run --device soft --quiet --passes 3 -- "$program" 20 >"$folder/piped" 2>&1
same "" "$(cat "$folder/piped")" "output on a pipe"
exit $failed
