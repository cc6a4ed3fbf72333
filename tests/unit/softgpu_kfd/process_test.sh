#!/bin/bash
# What the library does to processes around it. Usage: process_test.sh LIBRARY HSA_PROGRAM
set -u
library=$1
program=$2
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
failures=0

check() {  # check "what" COMMAND...
  local what=$1
  shift
  if "$@"; then
    echo "ok: $what"
  else
    echo "FAILED: $what"
    failures=$((failures + 1))
  fi
}
trees() { find "$TMPDIR" -maxdepth 1 -name 'kreplay-softgpu-*' | wc -l; }
soft() { LD_PRELOAD=$library "$@"; }

# A process that does not use the GPU: no thread, no descriptor, no tree, nothing on stderr.
threads=$(soft awk '/^Threads:/ {print $2}' /proc/self/status 2>"$TMPDIR/err")
check "a bystander has one thread" test "$threads" = 1
check "a bystander has the usual descriptors" \
  test "$(soft ls /proc/self/fd | wc -l)" = "$(ls /proc/self/fd | wc -l)"
check "a bystander makes no tree" test "$(trees)" = 0
check "a bystander writes nothing to stderr" test ! -s "$TMPDIR/err"

# What other programs look at.
check "/proc/modules lists the driver" soft grep -q '^amdgpu ' /proc/modules
check "/sys/module/amdgpu/initstate is live" test "$(soft cat /sys/module/amdgpu/initstate)" = live
check "/dev/kfd is a character device" test "$(soft python3 -c '
import os, stat
print(stat.S_ISCHR(os.stat("/dev/kfd").st_mode))' 2>/dev/null)" = True
check "a listing of the topology shows both nodes" test "$(soft python3 -c '
import os
print(" ".join(sorted(os.listdir("/sys/class/kfd/kfd/topology/nodes"))))' 2>/dev/null)" = "0 1"
check "the tree is gone after exit" test "$(trees)" = 0

# rocminfo, which also runs lsmod and grep as children.
output=$(soft rocminfo 2>/dev/null)
check "rocminfo ends well" test $? = 0
check "rocminfo lists the agent" grep -Eq 'Name: +gfx906' <<<"$output"

# Options that are wrong: an error with variable, value and what is accepted; and no GPU.
output=$(KREPLAY_SOFTGPU_GPUS=zero soft "$program" idle 2>&1)
status=$?
check "a malformed option leaves no GPU" test $status -ne 0
check "a malformed option is named" grep -q "kreplay-softgpu: error: .*KREPLAY_SOFTGPU_GPUS='zero'.*1 to 8" <<<"$output"
output=$(KREPLAY_SOFTGPU_GPU=1 soft "$program" idle 2>&1)
check "an unknown option is named" grep -q "KREPLAY_SOFTGPU_GPU='1': no such variable" <<<"$output"
check "a bystander does not complain about options" \
  test -z "$(KREPLAY_SOFTGPU_GPUS=zero soft true 2>&1)"

# A killed process leaves its tree; the next one removes it.
soft "$program" killed 2>/dev/null
check "a killed process leaves its tree" test "$(trees)" = 1
check "the next process runs" soft "$program" idle
check "and removes what was left" test "$(trees)" = 0

exit $((failures > 0))
