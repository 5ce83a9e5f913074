#!/usr/bin/env bash
# For a machine with a GPU: tests, catalogue, parity with the simulation, observer check, benchmarks.
#   scripts/gpu_check.sh [BUILD] [FOLDER]   BUILD: a build with the cuda back end [build/cuda, built if missing]
# Takes less than 10 minutes on one GPU and leaves one folder [gpu-check-<host>-<utc>] to attach to a
# report: a file of output per part, the results of the sessions, and summary.txt. Each part has a time
# limit of its own; one that fails or runs over does not stop the others.
# Exit: 0 all passed, 1 something differs or failed, 77 no GPU.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/cuda}
folder=${2:-gpu-check-$(hostname)-$(date -u +%Y%m%dT%H%M%SZ)}

if [[ ! -x $build/gridlock || ! -d $build/scenarios/cuda ]]; then
  echo "Building preset cuda in build/cuda (not counted in the 10 minutes)"
  cmake --preset cuda >/dev/null && cmake --build build/cuda --parallel "$(nproc)" || {
    echo "gpu_check.sh: the cuda back end cannot be built here; see docs/cuda.md" >&2
    exit 1
  }
  build=build/cuda
fi
gpus=$("$build/gridlock_gpus" list)
if [[ $gpus == *'"gpus":[]'* ]]; then
  echo "gpu_check.sh: no GPU to check: $gpus" >&2
  exit 77
fi
mkdir -p "$folder" || exit 1
echo "$gpus" >"$folder/gpus.json"
{ nvidia-smi; nvidia-smi topo -m; nvcc --version; uname -a; git log -1 --oneline; git status --short; } \
  >"$folder/machine.txt" 2>&1

failed=0
# part NAME SECONDS ACCEPTED-EXIT-CODES COMMAND…
part() {
  local name=$1 seconds=$2 accepted=$3 code=0 begun=$SECONDS verdict
  shift 3
  printf '%-22s ' "$name"
  timeout --kill-after=10 "$seconds" "$@" >"$folder/$name.txt" 2>&1 || code=$?
  case " $accepted " in
    *" $code "*) verdict=passed ;;
    *) verdict="FAILED (exit code $code)"; failed=1 ;;
  esac
  [[ $code == 77 ]] && verdict=skipped
  ((code == 124 || code == 137)) && verdict="FAILED (over $seconds s)"
  printf '%s, %d s\n' "$verdict" $((SECONDS - begun)) | tee -a >(sed "s/^/$name: /" >>"$folder/summary.txt")
}

part gpu-tests 60 "0 77" ctest --test-dir "$build" -L gpu -LE benchmark --no-tests=error --output-on-failure
part catalogue-sim 40 "0" "$build/gridlock" run --backend sim --output "$folder/sim"
# What a time limit cuts off is missing from the results; what ran until then is in them.
part catalogue-cuda 300 "0" "$build/gridlock" run --backend cuda --output "$folder/cuda"
part observer-check 90 "0" "$build/gridlock" run --backend cuda --observer-check --output "$folder/observer" \
  send_recv_order uneven_batches stray_synchronize interleaved_communicators
part parity 5 "0" "$build/gridlock" compare --parity "$folder/sim" "$folder/cuda"
part kernels 45 "0" "$build/benchmarks/benchmark_gpu_kernels" \
  --benchmark_out="$folder/kernels.json" --benchmark_out_format=json
# Few and small sizes where ranks share a GPU: time slices make each operation cost milliseconds.
count=$(grep -o '"uuid"' "$folder/gpus.json" | wc -l)
ranks=$((count > 1 ? count : 2))
most=$((count > 1 ? 1 << 30 : 1 << 20))
part collectives 45 "0" "$build/gridlock" watch -n "$ranks" --share-gpus --output "$folder/collectives" -- \
  "$build/benchmarks/benchmark_collectives_cuda" --most=$most \
  --benchmark_out="$folder/collectives.json" --benchmark_out_format=json
wait
echo
echo "Attach the folder: $folder"
exit $failed
