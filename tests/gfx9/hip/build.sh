#!/bin/sh
# Compiles kernels.hip for gfx906 at -O0 and -O2 to code objects (needs hipcc 5.2.3 with clang 15, and
# llvm-objcopy-15). The test itself needs neither.
set -eu
cd "$(dirname "$0")"
for level in 0 2; do
  hipcc --offload-arch=gfx906 -O$level --cuda-device-only --no-gpu-bundle-output -Wno-unused-result -c kernels.hip \
    -o kernels_o$level.co
  llvm-objcopy-15 --strip-all kernels_o$level.co
done
