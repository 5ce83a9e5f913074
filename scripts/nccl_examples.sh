#!/usr/bin/env bash
# Builds the examples of NVIDIA/nccl (docs/examples, those in C++) unmodified and runs them on the simulated CUDA:
#   scripts/nccl_examples.sh SOURCE [NCCL [DEVICES...]]
# SOURCE is a folder with NCCL's repository; the release tarballs lack the examples. NCCL is "own" or a version that
# `./run_all.sh nccl VERSION` has built [2.28.9]. Each example runs under `gridlock watch` with each number of DEVICES
# [2 4 8], in one process and, if it can use MPI, in one process for each device. Ends with 1 if one says that something
# is wrong, does not say that it is right, or does not complete. GRIDLOCK_EXAMPLES chooses some: a regular expression.
set -euo pipefail
if (($# < 1)) || [[ ! -f $1/docs/examples/common/src/utils.cc ]]; then
  echo "nccl_examples.sh: there is no docs/examples in \"${1-}\"; name a folder with the repository of NVIDIA/nccl" >&2
  exit 2
fi
source=$(cd "$1" && pwd)/docs/examples
cd "$(dirname "${BASH_SOURCE[0]}")/.."
nccl=${2:-2.28.9}
counts=("${@:3}")
((${#counts[@]})) || counts=(2 4 8)
for count in "${counts[@]}"; do
  [[ $count =~ ^[1-9][0-9]*$ ]] || { echo "nccl_examples.sh: \"$count\" is no number of devices" >&2; exit 2; }
done
gridlock=build/auto/gridlock
if [[ ! -x $gridlock ]]; then
  echo "nccl_examples.sh: there is no $gridlock; build it first: ./run_all.sh" >&2
  exit 2
fi
out=build/auto/nccl_examples logs=$out/$nccl
mkdir -p "$logs"
includes=("-I$source/common/include" $("$gridlock" config --cflags))

# build NAME FOLDER [OPTIONS of g++]
build() {
  local common=()
  ! grep -q '"utils.h"' "$2/main.cc" || common=("$source/common/src/utils.cc")
  g++ -O2 -w "${includes[@]}" "${@:3}" "$2/main.cc" "${common[@]}" $("$gridlock" config --libs) -lpthread \
    $([[ " $* " != *MPI* ]] || pkg-config --libs mpich) -o "$out/$1"
}

failed=0
# run NAME WAY DEVICES OPTIONS of watch…
run() {
  local name=$1 way=$2 devices=$3 code=0 says=right begun=$SECONDS log
  log=$logs/$name.$way.$devices.txt
  # ring_pattern has buffers of 1 GiB, two on each device.
  GRIDLOCK_SIM_DEVICES=$devices GRIDLOCK_SIM_MEMORY=3G NTHREADS=$devices \
    "$gridlock" watch --nccl "$nccl" --output "$logs/results" --quiet "${@:4}" -- "$out/$name" >"$log" 2>&1 || code=$?
  if ((code != 0)); then
    says="exit code $code"
  elif grep -qiE 'incorrect|verification failed|FAILURE|WARNING:|ERROR' "$log"; then
    says=wrong
  elif ! grep -qE 'SUCCESS|^Success|[Rr]esults verified correctly|completed successfully!|cleaned up properly!' "$log"; then
    says="does not say so"
  fi
  [[ $says == right ]] || { failed=1; says+=": see $log"; }
  printf '%-32s %-8s %7s %5s  %s\n' "$name" "$way" "$devices" $((SECONDS - begun)) "$says"
}

printf '%-32s %-8s %7s %5s  %s\n' example way devices s result
for folder in "$source"/*/*/c; do
  name=$(sed -n 's/^TARGET = //p' "$folder/Makefile")
  [[ $name =~ ${GRIDLOCK_EXAMPLES-} ]] || continue
  if grep -q nccl_device "$folder"/main.*; then
    printf '%-32s %-8s %7s %5s  %s\n' "$name" - - - "not run: needs NCCL's device API"
    continue
  fi
  if ! grep -q MPI_Init "$folder/main.cc"; then
    build "$name" "$folder"
    for count in "${counts[@]}"; do run "$name" process "$count" -n 1; done
  fi
  if grep -qE 'MPI_Init|"utils.h"' "$folder/main.cc"; then
    build "${name}_mpi" "$folder" -DMPI_SUPPORT $(pkg-config --cflags mpich)
    for count in "${counts[@]}"; do run "${name}_mpi" mpiexec "$count" --launcher mpiexec -n "$count"; done
  fi
done
exit "$failed"
