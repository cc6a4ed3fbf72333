#!/usr/bin/env bash
# Each thing that goes wrong gives one clear sentence and its documented status.
#   failures_soft.sh KREPLAY LAUNCHES CODE_OBJECT
set -uo pipefail
. "$(dirname "$0")/expect.sh"
soft() { "$kreplay" run --device soft --quiet --passes 2 "$@"; }

expect 1 "no process of the program used an HSA runtime" soft -- false
expect 127 "/nonexistent: no such program" soft -- /nonexistent
expect 126 "it is no file" soft -- "$folder/"
# 139: bash's word for a child that SIGSEGV ended.
expect 139 "no process of the program used an HSA runtime" soft -- sh -c 'kill -SEGV $$'
echo 'int main(void) { return 0; }' >"$folder/main.c"
cc -static -o "$folder/static" "$folder/main.c"
expect 125 "the program is linked statically" soft -- "$folder/static"
if [ "$(id -u)" -eq 0 ] && chown nobody "$folder" 2>/dev/null; then
  cc -o "$folder/privileged" "$folder/main.c"
  chown nobody "$folder/privileged" && chmod u+s "$folder/privileged"
  # In a container without the right to change users the program runs as it is, and the library is loaded.
  expect 125 "kreplay:" soft -- "$folder/privileged"
else
  echo "not tested: a set-uid program (needs root)"
fi

# A killed process leaves what it had; the rest of the job goes on.
expect 137 "" soft -o "$folder/killed.jsonl" -- "$program" 3 kill
same 3 "$(grep -c '"outcome":"replayed"' "$folder/killed.jsonl")" "launches before the kill"
expect 0 "has no trailer" "$kreplay" report "$folder/killed.jsonl"
expect 137 "" soft -o "$folder/child.jsonl" -- sh -c "'$program' 2 kill"

# What cannot work is found before the program starts.
library=$(dirname "$kreplay")/../lib
expect 125 "/nonexistent/libkreplay.so: No such file or directory" soft --library /nonexistent/libkreplay.so -- touch "$folder/started"
expect 125 "is not libkreplay.so but another library" soft --library "$library/libkreplay-softgpu.so" -- touch "$folder/started"
# With the mark of libkreplay.so, and without a library that it needs.
cat >"$folder/mark.c" <<'END'
__asm__(".pushsection .note.kreplay, \"a\", @note\n.balign 4\n.long 8, 4, 1\n.asciz \"kreplay\"\n.long 1\n.popsection");
END
cc -shared -fPIC -o "$folder/libgone.so" -x c - </dev/null
cc -shared -fPIC -Wl,--no-as-needed -o "$folder/lonely.so" "$folder/mark.c" "-L$folder" -lgone && rm "$folder/libgone.so"
expect 125 "cannot be loaded: libgone.so: cannot open shared object file" soft --library "$folder/lonely.so" -- touch "$folder/started"
expect 1 "cannot be loaded: libgone.so: cannot open" "$kreplay" doctor --device soft --library "$folder/lonely.so"
expect 125 "cannot create the result file /nonexistent/run.jsonl: No such file" soft -o /nonexistent/run.jsonl -- touch "$folder/started"
same "" "$(ls "$folder/started" 2>/dev/null)" "what programs that must not start have left"

# Without a GPU.
if [ ! -e /dev/kfd ]; then
  got=0
  "$kreplay" run --quiet -- "$program" 1 >"$folder/out" 2>&1 || got=$?
  [ "$got" -ne 0 ] && grep -q "the HSA runtime could not start (hsa_init: status 0x1008.*kreplay doctor says what is missing" "$folder/out" ||
    { echo "FAILED: a run without a GPU -> status $got:"; cat "$folder/out"; failed=1; }
fi

# Results that cannot be written.
expect 125 "records could not be written" soft -o /dev/full -- "$program" 3
expect 125 "cannot create the result file $folder" soft -o "$folder" -- "$program" 1
expect 125 "cannot create the result file /nonexistent/run.jsonl" soft -o /nonexistent/run.jsonl -- "$program" 1
expect 0 "" soft -o "$folder/good.jsonl" -- "$program" 2
expect 2 "standard output cannot be written" sh -c "'$kreplay' report '$folder/good.jsonl' >/dev/full"
: >"$folder/empty.jsonl"
expect 2 "is empty" "$kreplay" report "$folder/empty.jsonl"
expect 2 "is a directory" "$kreplay" report "$folder"
expect 2 "is empty" "$kreplay" merge -o "$folder/out" "$folder/empty.jsonl"

# A baseline of another GPU.
expect 0 "" env KREPLAY_SOFTGPU_GFX=gfx90a "$kreplay" run --device soft --quiet --allow-nothing -o "$folder/other.jsonl" -- rocminfo
expect 5 "the machines differ" "$kreplay" compare "$folder/other.jsonl" "$folder/good.jsonl"
exit $failed
