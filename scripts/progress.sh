# Sourced by run_all.sh: shows one line that a person can follow, and puts everything into a log.

# "1 min 20 s" of a number of seconds.
duration() { (($1 < 60)) && echo "$1 s" || echo "$(($1 / 60)) min $(($1 % 60)) s"; }

# fail_with REASON LOG [PATTERN]: shows the end of the log, or what follows the first line with the pattern.
fail_with() {
  clear_line
  [[ -z ${3-} ]] || { grep -m1 -A30 -E "$3" "$2" || tail -n 30 "$2"; } >&2
  [[ -n ${3-} ]] || tail -n 30 "$2" >&2
  echo "run_all.sh: $1; the whole log is $2" >&2
  exit 3
}

clear_line() { [[ ! -t 1 ]] || printf '\r\e[K'; }

# COMMAND | follow WHAT LOG: shows the progress of a command that numbers its lines, as ninja ("[3/40] …")
# and ctest ("3/40 Test #3: …") do. On a terminal the line is overwritten; elsewhere one line comes every half
# minute.
follow() {
  local what=$1 log=$2 line done=0 all=0 began=$SECONDS shown=$((SECONDS - 25)) failed=0 text
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^[[:space:]\[]*([0-9]+)/([0-9]+)(\]|[[:space:]]Test) ]] || continue
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    if [[ $line == *'***Failed'* || $line == *'***Timeout'* || $line == *'***Exception'* || $line == *'***Not Run'* ]]; then
      failed=$((failed + 1))
      clear_line
      printf '%s\n' "${line:0:100}"
    fi
    [[ -t 1 ]] || ((SECONDS - shown >= 30)) || continue
    shown=$SECONDS
    text="$what $done of $all"
    ((SECONDS - began < 3)) || text+=", about $(duration $(((SECONDS - began) * (all - done) / done))) left"
    ((failed == 0)) || text+=", $failed failed"
    clear_line
    printf '%s' "$text"
    [[ -t 1 ]] || printf '\n'
  done
  clear_line
  ((all == 0 || done < all)) || echo "$what: $all steps in $(duration $((SECONDS - began)))"
}

# failed_tests LOG: the names of the tests that failed, a line each.
failed_tests() { sed -n 's/^\t *[0-9]* - \(.*\) (\(Failed\|Timeout\|SEGFAULT\|Subprocess aborted\|Not Run\|.*Exception.*\))$/\1/p' "$1"; }

# are_whole_runs NAMES: whether they are few, and each of them starts whole jobs. On a crowded machine such a job
# may lose the race that it stages, as its ranks may not get a core in time.
are_whole_runs() {
  local names=$1
  (($(wc -l <<<"$names") <= 3)) && ! grep -qvE '^(end_to_end|adversarial|nodes|live|real_nccl)/' <<<"$names"
}

# count_tests LOG [LOG_OF_SECOND_TRY]: shows what the failed tests said, then counts the tests in one line. Tests that
# passed at their second try are counted and named.
count_tests() {
  local total failed skipped again='' last=${2:-$1}
  # Finding nothing is not an error here. The message below handles it.
  total=$(grep -oP 'tests failed out of \K\d+' "$1" | tail -1) || true
  failed=$(grep -oP '\d+(?= tests failed out of)' "$last" | tail -1) || true
  skipped=$(grep -cE '\*\*\*Skipped' "$1" || true)
  [[ -n $total && -n $failed ]] || fail_with "ctest did not come to its end" "$last"
  if [[ -n ${2-} ]]; then
    again=$(comm -23 <(failed_tests "$1" | sort) <(failed_tests "$2" | sort) | paste -sd ' ')
  fi
  if ((failed > 0)) || [[ -n $again ]]; then
    echo "The first failures of each test (all of it: $1):"
    grep -E -A6 '(: Failure|\*\*\*(Failed|Timeout|Exception|Not Run))' "$1" | cut -c1-300 | head -n 120 || true
    failed_tests "$last" | sed 's/^/FAILED /'
  fi
  [[ -z $again ]] || echo "$(wc -w <<<"$again") passed only at the second try, alone: $again"
  echo "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
}
