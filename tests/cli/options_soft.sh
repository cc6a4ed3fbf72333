#!/usr/bin/env bash
# What the options of `kreplay run` do to the records.
#   options_soft.sh KREPLAY LAUNCHES CODE_OBJECT
set -uo pipefail
. "$(dirname "$0")/expect.sh"
run() { # run NAME OPTIONS... -- ACTIONS...: a run of the program; its records are in NAME
  local file=$folder/$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  rm -f "$file"
  expect 0 "" "$kreplay" run --device soft --quiet -o "$file" "${options[@]}" -- "$program" "$@"
}
# replayed NAME: the launch ordinals that were replayed, in order
replayed() { grep '"outcome":"replayed"' "$folder/$1" | sed 's/.*"launch":\([0-9]*\).*/\1/' | tr '\n' ' '; }

# Facts of the kernel that do not depend on the run.
run facts.jsonl --passes 5 -- 1
expect 0 "" grep -qE '"type":"kernel".*"vgprs":[1-9][0-9]*,"agprs":0,"sgprs":[1-9].*"kernarg_bytes":[1-9][0-9]*,"code_bytes":[1-9][0-9]*,"code_hash":"[0-9a-f]{16}","code_object_hash":"[0-9a-f]{16}"' "$folder/facts.jsonl"
run again.jsonl --passes 5 -- 1
facts() { grep '"type":"kernel"' "$folder/$1" | sed 's/"id":[0-9]*//'; }
same "$(facts facts.jsonl)" "$(facts again.jsonl)" "kernel lines of two runs"

# The size of the code gates: too large, below a ratchet, and just right.
size=$(sed -n 's/.*"type":"kernel".*"code_bytes":\([0-9]*\),.*/\1/p' "$folder/facts.jsonl")
same "$size" "$(readelf -sW --dyn-syms "$E2E_CODE_OBJECT" | awk '$4 == "FUNC" && $8 == "count_up" {print $3}' | sort -u)" "code_bytes"
gate() { # gate SETTINGS: compares with this limit of the code's size
  printf '[[fact]]\nname = "code_bytes"\n%s\n' "$1" >"$folder/limits.toml"
  "$kreplay" compare --limits "$folder/limits.toml" "$folder/facts.jsonl" "$folder/again.jsonl"
}
expect 1 "$size is more than the limit of $((size - 4))" gate "max = $((size - 4))"
expect 3 "$size is less than the limit of $((size + 4)), which is a ratchet: lower it" gate "max = $((size + 4))
ratchet = true"
expect 0 "" gate "max = $size
ratchet = true"
expect 0 "" gate "max-growth = \"0%\""

# Passes: the software GPU's clock is exact up to the runtime's conversion to host time, so the error is small as soon as
# it is known.
run until.jsonl --until-rel-error 5% --min-passes 7 --max-passes 50 -- 2
same 2 "$(grep -cE '"passes_requested":0,"passes_run":7,"warmup":0,"passes_end":"converged","relative_error_ppm":[0-9]{1,5},' "$folder/until.jsonl")" "converged launches"
run few.jsonl --until-rel-error 1% --min-passes 2 --max-passes 4 -- 1
same 1 "$(grep -c '"passes_run":4,"warmup":0,"passes_end":"max_passes"' "$folder/few.jsonl")" "launches stopped by --max-passes"
run late.jsonl --until-rel-error 1% --min-passes 3 --max-time 0.000001 -- 1
same 1 "$(grep -c '"passes_run":3,"warmup":0,"passes_end":"max_time"' "$folder/late.jsonl")" "launches stopped by --max-time"
run warm.jsonl --passes 3 --warmup 2 -- 1
same 1 "$(grep -c '"passes_requested":5,"passes_run":5,"warmup":2,"passes_end":"count"' "$folder/warm.jsonl")" "launches with warm-up"

# Caches.
run flush.jsonl --passes 2 --cache flush -- 1
same 1 "$(grep -c '"outcome":"replayed".*"cache":"flush"' "$folder/flush.jsonl")" "launches with flushed caches"
run none.jsonl --passes 2 --cache none -- 1
same 1 "$(grep -c '"outcome":"replayed".*"cache":"as_is"' "$folder/none.jsonl")" "launches with caches as they are"

# Selection.
run launches.jsonl --passes 2 --launches 2,4- -- 5
same "2 4 5 " "$(replayed launches.jsonl)" "--launches"
run agent0.jsonl --passes 2 --agents 0 -- 2
same "1 2 " "$(replayed agent0.jsonl)" "--agents 0"
expect 125 "of 2 launches none was selected" "$kreplay" run --device soft --agents 1 -- "$program" 2
run range.jsonl --passes 2 --from-marker 'step 2' --to-marker 'step 2' -- 1 'push:step 1' 1 pop 'push:step 2' 1 push:inner 1 pop pop 1 calls:6
same "3 4 " "$(replayed range.jsonl)" "the range between two markers"
same 3 "$(sed -n 's/.*"type":"trailer".*"filtered":\([0-9]*\).*/\1/p' "$folder/range.jsonl")" "filtered launches"
run from.jsonl --passes 2 --from-marker go -- 1 mark:go 2 calls:1
same "2 3 " "$(replayed from.jsonl)" "from a mark"
run to.jsonl --passes 2 --to-marker r -- 1 start:r 1 stop 1 calls:2
same "1 2 " "$(replayed to.jsonl)" "to the end of a range with an id"
run off.jsonl --passes 2 -- push:a 1 pop calls:2
same "1 " "$(replayed off.jsonl)" "markers that nobody asked for"

# Merge.
expect 0 "2 files merged" "$kreplay" merge -o "$folder/merged.jsonl" "$folder/facts.jsonl" "$folder/warm.jsonl"
expect 0 count_up "$kreplay" report "$folder/merged.jsonl"
same 2 "$(grep -c '"type":"header"' "$folder/merged.jsonl")" "headers of a merged file"
expect 2 "File exists" "$kreplay" merge -o "$folder/merged.jsonl" "$folder/facts.jsonl"

# Doctor.
expect 0 "the library was loaded and sees the runtime" "$kreplay" doctor --device soft
expect 0 "gfx906" "$kreplay" doctor --device soft
expect 0 "libkreplay.so, version $("$kreplay" --version | sed 's/kreplay //')" "$kreplay" doctor --device soft
expect 1 "KREPLAY_PASSES=\"x\"" env KREPLAY_PASSES=x "$kreplay" doctor --device soft
expect 1 "/nonexistent.so: No such file" env LD_PRELOAD=/nonexistent.so "$kreplay" doctor --device soft
exit $failed
