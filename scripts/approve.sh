#!/usr/bin/env bash
# Accepts the formats' current output: writes tests/approved again. Look at the difference before you
# commit it. Usage: scripts/approve.sh [BUILD]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/auto}
for name in test_harness_report test_harness_accept; do
  test=$build/tests/$name
  if [[ ! -x $test ]]; then
    echo "approve.sh: there is no $test; build it first: cmake --build $build --target $name" >&2
    exit 2
  fi
  GRIDLOCK_APPROVE=1 "$test" --gtest_brief=1 --gtest_filter='*ApprovedOutput*'
done
git --no-pager diff --stat -- tests/approved
git status --short -- tests/approved
