#!/usr/bin/env bash
# Runs NVIDIA's nccl-tests, which check every value that they receive, on the simulated CUDA:
#   scripts/nccl_tests.sh SOURCE [NCCL [JOBS...]] [-- OPTIONS of the tests]
# SOURCE is a folder with nccl-tests v2.16.9, the last version without NCCL's device API. NCCL is "own" or a version that
# `./run_all.sh nccl VERSION` has built [2.28.9]. A job is PROCESSESxDEVICES of each [1x2 4x1 1x8]. Every test runs all its
# types and operations from 8 bytes to 64 KiB, in place and out of place, under `gridlock watch`; OPTIONS run less, as in
# -- -d float -o sum -e 4K. Ends with 1 if a value was wrong or a run did not complete.
set -euo pipefail
if (($# < 1)) || [[ ! -f $1/src/all_reduce.cu ]]; then
  echo "nccl_tests.sh: there is no src/all_reduce.cu in \"${1-}\"; name a folder with nccl-tests v2.16.9" >&2
  exit 2
fi
source=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
words=() options=()
for ((at = 2; at <= $#; ++at)); do
  [[ ${!at} != -- ]] || { options=("${@:at+1}"); break; }
  words+=("${!at}")
done
nccl=${words[0]:-2.28.9}
jobs=("${words[@]:1}")
((${#jobs[@]})) || jobs=(1x2 4x1 1x8)
for job in "${jobs[@]}"; do
  [[ $job =~ ^[1-9][0-9]*x[1-9][0-9]*$ ]] || { echo "nccl_tests.sh: \"$job\" is no PROCESSESxDEVICES, as in 4x1" >&2; exit 2; }
done
gridlock=build/auto/gridlock
if [[ ! -x $gridlock ]]; then
  echo "nccl_tests.sh: there is no $gridlock; build it first: ./run_all.sh" >&2
  exit 2
fi
if grep -q nccl_device.h "$source/src/all_reduce.cu"; then
  echo "nccl_tests.sh: $source is newer than v2.16.9: it needs NCCL's device API, which clang does not compile" >&2
  exit 2
fi
out=build/auto/nccl_tests logs=$out/$nccl
mkdir -p "$logs"
tests=(all_reduce all_gather reduce_scatter broadcast reduce alltoall gather scatter sendrecv hypercube)

# Compiles what is older than its source.
compile() {
  local object=$out/$2.o
  [[ $object -nt $1 && $object -nt scripts/clang_cuda.sh ]] && return
  scripts/clang_cuda.sh "$1" "$object" -std=c++17 -O2 -w "-I$source/src" "-I$source/verifiable" "-I$source" -DMPI_SUPPORT $(pkg-config --cflags mpich)
}
compile "$source/verifiable/verifiable.cu" verifiable
for name in common "${tests[@]}"; do compile "$source/src/$name.cu" "$name"; done
g++ -O2 -w -c "$source/src/timer.cc" -o "$out/timer.o"
for name in "${tests[@]}"; do
  g++ "$out/$name.o" "$out/common.o" "$out/verifiable.o" "$out/timer.o" $("$gridlock" config --libs) $(pkg-config --libs mpich) \
    -o "$out/${name}_perf"
done

failed=0
printf '%-16s %6s %8s %8s %6s\n' test job checked wrong s
for name in "${tests[@]}"; do
  for job in "${jobs[@]}"; do
    # A hypercube's steps need each other's results, but the tests put all that a process does into one group.
    if [[ $name == hypercube ]] && ((${job#*x} > 2)); then
      printf '%-16s %6s  not run: wrong with more than 2 devices in a process, on any NCCL\n' "$name" "$job"
      continue
    fi
    log=$logs/$name.$job.txt
    begun=$SECONDS
    code=0
    # One process needs no launcher.
    launcher=(--launcher mpiexec)
    [[ $job != 1x* ]] || launcher=()
    "$gridlock" watch --nccl "$nccl" --output "$logs/results" --quiet "${launcher[@]}" -n "${job%x*}" -- \
      "$out/${name}_perf" -g "${job#*x}" -b 8 -e 64K -f 8 -d all -o all -n 1 -w 1 -c 1 "${options[@]}" >"$log" 2>&1 || code=$?
    # A row of figures ends with the number of wrong values in place; that out of place stands before the last four. A
    # test that has no such form says N/A. mpiexec puts "[0] " in front of every piece of output.
    read -r checked wrong < <(sed -E 's/\[[0-9]+\] ?/ /g; s/ +$//' "$log" | awk '
      /^ *[0-9]+ +[0-9]+ +[a-z0-9_]+ +.* [0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9.e+]+|N\/A)$/ {
        for (i = NF - 4; i <= NF; i += 4) if ($i != "N/A") { ++n; bad += $i }
      }
      END { print n + 0, bad + 0 }')
    note=""
    if ((code != 0 || wrong != 0 || checked == 0)) || ! grep -q "Out of bounds values : 0 OK" "$log"; then
      failed=1
      note="  exit code $code: see $log"
    fi
    printf '%-16s %6s %8s %8s %6s%s\n' "$name" "$job" "$checked" "$wrong" $((SECONDS - begun)) "$note"
  done
done
exit "$failed"
