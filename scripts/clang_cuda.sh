#!/usr/bin/env bash
# Compiles a CUDA source for the simulated CUDA, without a file of NVIDIA's:
#   scripts/clang_cuda.sh SOURCE.cu OBJECT.o [OPTIONS of clang++]
# clang compiles the device code to PTX, which the simulation interprets, and embeds it into the host's object. Needs
# clang 19 or newer (GRIDLOCK_CLANG names another one). Mathematical functions of NVIDIA's libdevice (sin, exp, pow, …)
# are missing.
set -euo pipefail
if (($# < 2)); then
  echo "clang_cuda.sh: give a source and an object, as in: scripts/clang_cuda.sh kernel.cu kernel.o -O2" >&2
  exit 2
fi
source=$1 object=$2
shift 2
include=$(cd "$(dirname "${BASH_SOURCE[0]}")/../sim/include" && pwd)
clang=${GRIDLOCK_CLANG-}
for name in clang++-{40..19}; do
  [[ -n $clang ]] || ! command -v "$name" >/dev/null || clang=$name
done
if [[ -z $clang ]] || ! command -v "$clang" >/dev/null; then
  echo "clang_cuda.sh: there is no ${clang:-clang++-19 or newer}: apt-get install clang-19, or name one in GRIDLOCK_CLANG" >&2
  exit 3
fi
# Both passes must name what belongs to one file alike.
language=(-x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version "-cuid=$(cksum <<<"$object" | cut -d' ' -f1)"
          -include cuda_runtime.h "-I$include" "$@")
# Clang's device pass stops at an alias of a host variable, which nvcc leaves to the host.
sed 's/^#pragma weak .*=.*//' "$source" |
  "$clang" --cuda-device-only -S "${language[@]}" -iquote "$(dirname "$source")" -o "$object.ptx" -
"$clang" --cuda-host-only -fPIC "${language[@]}" -Xclang -fcuda-include-gpubinary -Xclang "$object.ptx" \
  -c -MD -MF "$object.d" -MT "$object" -o "$object" "$source"
rm "$object.ptx"
