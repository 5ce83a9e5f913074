#!/usr/bin/env bash
# For a machine with a GPU: tests, catalogue, parity with the simulation, observer check, scaling,
# benchmarks, in under 15 minutes.
#   scripts/gpu_check.sh [--simulate] [BUILD] [FOLDER]
#     BUILD       a build with the cuda back end [build/cuda, built if missing]
#     FOLDER      [gpu-check-<host>-<utc>] to attach to a report: a file of output for each part, the
#                 results of the sessions, summary.txt
#     --simulate  the same parts on the simulation, to test this script: says nothing about GPUs
# Exit: 0 all passed, 1 something differs, failed or ran out of time, 77 no GPU.
#
# Time. 4 ranks that share a GPU take about 2 s a variant: 1 s to start (4 processes open the driver and
# meet), some 30 collectives of 9 ms, 0.3 s to judge and kill; a stall takes 3 s more.
#   part             what                                   seconds    at most
#   kernel-tests     67 against float64 and CPU twins             5        45 s
#   gpu-tests        114 of CUDA and NCCL, 1 s to start each     17        60 s
#   catalogue-sim    309 variants                                51        90 s
#   catalogue-four   33 variants x 2.5 s                         79       120 s
#   observer-check   30 variants, 19 of them twice              119       150 s
#   scaling          3 x (1 and 2 ranks) x 1.4 s                  9        30 s
#   kernels          Google Benchmark, 0.1 s each                10        30 s
#   collectives      8 B to 1 MiB; to 128 MiB with a GPU each    12        45 s
#   catalogue-rest   276 variants, 244 of them x 1.9 s          466 *  what is left
#   merge, parity    reading files                                1        10 s
#                                                         sum   769
# Measured on an H100 (16 cores); the star: expected. Each part is guaranteed to end at its limit or at the
# end of the whole budget, whichever comes first. The longest part comes last, so that a hang in it costs the
# others nothing. What was measured until then stays in the folder.
#
# Without persistence mode the driver shuts a GPU down with its last client and starts again for the next,
# which takes 1 to 3 s a GPU for every variant. So one client stays as long as the check lasts.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
backend=cuda
[[ ${1:-} != --simulate ]] || { backend=sim; shift; }
build=${1:-build/$backend}
folder=${2:-gpu-check-$(hostname)-$(date -u +%Y%m%dT%H%M%SZ)}
whole=890
budget=${GRIDLOCK_CHECK_SECONDS:-$whole} # a smaller one is shared out in proportion
share() { echo $((($1 * budget + whole - 1) / whole)); }
kept_for_the_end=$(share 15) # merge and parity

if [[ ! -x $build/gridlock || ! -d $build/scenarios/$backend ]]; then
  echo "Building preset $backend in build/$backend (not counted in the 15 minutes)"
  cmake --preset $backend >/dev/null && cmake --build build/$backend --parallel "$(nproc)" || {
    echo "gpu_check.sh: the $backend back end cannot be built here; see docs/cuda.md" >&2
    exit 1
  }
  build=build/$backend
fi

held='' running='' # processes in the background
trap 'kill $held $running 2>/dev/null' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
if [[ $backend == cuda ]]; then
  # It has its own time limit, because no trap runs after kill -9.
  timeout $((budget + 120)) "$build/gridlock_gpus" sample 10000 >/dev/null 2>&1 &
  held=$!
fi
# The GPUs that CUDA shows. The driver may have to start.
gpus=$(timeout 60 "$build/gridlock_gpus" list) || [[ $backend == sim ]] || {
  echo "gpu_check.sh: the NVIDIA driver does not answer; nvidia-smi will hang too" >&2
  exit 1
}
if [[ $backend == cuda && $gpus == *'"gpus":[]'* ]]; then
  echo "gpu_check.sh: no GPU to check: $gpus" >&2
  exit 77
fi
mkdir -p "$folder" || exit 1
echo "$gpus" >"$folder/gpus.json"
{ nvidia-smi; nvidia-smi topo -m; nvcc --version; uname -a; git log -1 --oneline; git status --short; } \
  >"$folder/machine.txt" 2>&1

failed=0
SECONDS=0 # counts by itself
# part NAME SECONDS COMMAND…: within the limit, and within what is left of the budget.
part() {
  local name=$1 limit code=0 begun=$SECONDS verdict left skipped
  limit=$(share "$2")
  shift 2
  left=$((budget - SECONDS - kept_for_the_end))
  [[ $name != merge && $name != parity ]] || left=$((left + kept_for_the_end))
  ((limit <= left)) || limit=$left
  printf '%-16s ' "$name"
  if ((limit <= 0)); then
    failed=1
    verdict='FAILED (no time left)'
  elif [[ $backend == sim && ! -x $1 && -z $(type -P "$1") ]]; then
    verdict='skipped (not built)'
  else
    # In the background, because the shell acts on a signal only while it waits for nothing else.
    timeout --kill-after=5 "$limit" "$@" >"$folder/$name.txt" 2>&1 &
    running=$!
    wait $running || code=$?
    running=''
    case $code in
      0) verdict=passed ;;
      77) verdict=skipped ;;
      124 | 137) verdict="FAILED (over $limit s)" ;;
      *) verdict="FAILED (exit code $code)" ;;
    esac
    [[ $verdict != FAILED* ]] || failed=1
  fi
  skipped=$(grep -cE '^\[  SKIPPED \] .*\(|\*\*\*Skipped' "$folder/$name.txt" 2>/dev/null)
  ((${skipped:-0} == 0)) || verdict+=", $skipped skipped"
  verdict+=", $((SECONDS - begun)) s"
  echo "$verdict"
  echo "$name: $verdict" >>"$folder/summary.txt"
}
run() { part "$1" "$2" "$build/gridlock" run --backend "$backend" --output "$folder/$1" "${@:3}"; } # NAME SECONDS ARGS

four='uneven_sequence_lengths stray_synchronize uneven_batches sync_batchnorm_stall'
all=$(timeout 60 "$build/gridlock" list --backend "$backend" | awk '/^[a-z]/ {print $1}')
rest=$(comm -23 <(sort <<<"$all") <(tr ' ' '\n' <<<"$four" | sort))
count=$(grep -o '"uuid"' "$folder/gpus.json" | wc -l)
# Numbers of ranks that each have a GPU. With one GPU also two ranks that share it, to see that this works.
scaling=1
for ranks in 2 4 8; do
  ((ranks > 2 && ranks > count)) || scaling+=,$ranks
done
# Ranks that share a GPU take turns on it, so each operation costs milliseconds: small sizes only. With a
# GPU each, sizes go up to 128 MiB, because each size is verified on the host. The benchmark's default is the
# whole range, to 1 GiB.
ranks=$((count > 1 ? count : 2))
most=$((count > 1 ? 1 << 27 : 1 << 20))
no_tests=error kernel_tests=test_kernels_cuda
[[ $backend == cuda ]] || no_tests=ignore kernel_tests=test_kernels

# The kernels' tests share a process. The other tests have one each, because a test may leave streams that
# hang; starting the process is most of their time.
part kernel-tests 45 "$build/tests/$kernel_tests"
part gpu-tests 60 ctest --test-dir "$build" -L gpu -LE benchmark -E '^kernels/' --parallel 8 \
  --no-tests=$no_tests --output-on-failure
part catalogue-sim 90 "$build/gridlock" run --backend sim --output "$folder/sim"
run catalogue-four 120 $four
run observer-check 150 --observer-check send_recv_order uneven_batches stray_synchronize interleaved_communicators
run scaling 30 healthy_training/scaling -n $scaling --repeat 3
part kernels 30 "$build/benchmarks/benchmark_gpu_kernels" \
  --benchmark_out="$folder/kernels.json" --benchmark_out_format=json
part collectives 45 "$build/gridlock" watch -n "$ranks" --share-gpus --output "$folder/collectives" -- \
  "$build/benchmarks/benchmark_collectives_$backend" --most=$most \
  --benchmark_out="$folder/collectives.json" --benchmark_out_format=json
run catalogue-rest $whole $rest

sessions=()
for name in catalogue-four catalogue-rest; do
  [[ ! -e $folder/$name/results.json ]] || sessions+=("$folder/$name")
done
part merge 5 "$build/gridlock" report --output "$folder/$backend-all" "${sessions[@]}"
[[ $backend == cuda ]] && parity=--parity || parity=
part parity 5 "$build/gridlock" compare $parity "$folder/sim" "$folder/$backend-all"
echo
echo "Attach the folder: $folder"
exit $failed
