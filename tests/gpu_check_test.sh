#!/usr/bin/env bash
# scripts/gpu_check.sh when a part hangs: the part is cut off at its limit, the others run, and the
# measured results stay. An interrupt leaves nothing behind. In the stand-in for a build, catalogue-four
# never ends, and everything else ends at once.
#   gpu_check_test.sh SOURCE
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build/scenarios/sim" "$work/build/benchmarks" "$work/build/tests"
cat >"$work/build/gridlock" <<'STUB'
#!/usr/bin/env bash
case $1 in
  list) printf 'one  (sim, 4 ranks)\n    it hangs\nuneven_batches  (sim, 4 ranks)\n' ;;
  watch) exit 77 ;;
  compare) grep -q catalogue-four "$3/results.json" && grep -q catalogue-rest "$3/results.json" ;;
  report)
    mkdir -p "$3"
    for session in "${@:4}"; do cat "$session/results.json"; done >"$3/results.json"
    ;;
  run)
    output=$(sed 's/.*--output //; s/ .*//' <<<"$*")
    mkdir -p "$output" && echo "${output##*/}" >"$output/results.json"
    [[ $output != *catalogue-four ]] || exec sleep 1000
    ;;
esac
STUB
printf '#!/bin/sh\necho "{\\"gpus\\":[]}"\n' >"$work/build/gridlock_gpus"
printf '#!/bin/sh\necho "[  SKIPPED ] Spin.NeedsNoFlag (0 ms)"\necho "[  SKIPPED ] Spin.NeedsNoFlag"\n' \
  >"$work/build/tests/test_kernels"
chmod +x "$work/build/gridlock" "$work/build/gridlock_gpus" "$work/build/tests/test_kernels"

code=0
GRIDLOCK_CHECK_SECONDS=20 "$1/scripts/gpu_check.sh" --simulate "$work/build" "$work/out" >"$work/log" 2>&1 || code=$?
fail() { echo "$*" >&2; cat "$work/log" >&2; exit 1; }
((code == 1)) || fail "exit code $code, not 1"
grep -q '^catalogue-four: FAILED (over ' "$work/out/summary.txt" || fail "the hanging part was not cut off"
for name in catalogue-sim observer-check scaling catalogue-rest merge parity; do
  grep -q "^$name: passed" "$work/out/summary.txt" || fail "$name did not run, or failed"
done
grep -q '^kernel-tests: passed, 1 skipped' "$work/out/summary.txt" || fail "skipped tests are not counted"
[[ $(<"$work/out/catalogue-four/results.json") == catalogue-four ]] || fail "what the hanging part measured is gone"
[[ $(<"$work/out/catalogue-rest/results.json") == catalogue-rest ]] || fail "the rest was not measured"

# Without time, nothing is started, and the script says so.
code=0
GRIDLOCK_CHECK_SECONDS=0 "$1/scripts/gpu_check.sh" --simulate "$work/build" "$work/none" >"$work/log" 2>&1 || code=$?
((code == 1)) || fail "exit code $code without time, not 1"
grep -q '^catalogue-rest: FAILED (no time left)' "$work/none/summary.txt" || fail "it does not say that no time was left"

# On a GPU, a client of the driver runs during the whole check. It ends with the check, and so does the
# running part, however the check ends.
mkdir -p "$work/build/scenarios/cuda"
cat >"$work/build/gridlock_gpus" <<STUB
#!/usr/bin/env bash
[[ \$1 == sample ]] || { echo '{"gpus":[{"uuid":"GPU-a"}]}'; exit; }
echo \$\$ >$work/holder
exec sleep 1000
STUB
for signal in INT TERM HUP; do
  rm -rf "$work/holder" "$work/held"
  # A shell without job control starts background processes with SIGINT ignored.
  env --default-signal=INT "$1/scripts/gpu_check.sh" "$work/build" "$work/held" >"$work/log" 2>&1 &
  check=$!
  for ((i = 0; i < 300; ++i)); do
    [[ ! -s $work/holder || ! -e $work/held/catalogue-four/results.json ]] || break
    sleep 0.1
  done
  kill -0 "$(<"$work/holder")" || fail "the driver is not held"
  kill -$signal $check
  code=0
  wait $check || code=$?
  ((code == 128 + $(kill -l $signal))) || fail "exit code $code after SIG$signal"
  for ((i = 0; i < 100; ++i)); do
    kill -0 "$(<"$work/holder")" 2>/dev/null || break
    sleep 0.1
  done
  ((i < 100)) || fail "the driver is still held after SIG$signal"
done
