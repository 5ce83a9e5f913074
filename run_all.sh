#!/usr/bin/env bash
# Everything, from a bare Debian or Ubuntu machine:
#   ./run_all.sh [ARGS of `gridlock run`]   install what is missing, build, run the catalogue, report
#   ./run_all.sh test [ARGS of `ctest`]     the same up to the build, then all tests
# The cuda back end is built too where nvcc and NCCL are found. GRIDLOCK_PRESET chooses another preset.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(g++ cmake ninja-build pkg-config libfmt-dev libcli11-dev nlohmann-json3-dev libdw-dev
          libpugixml-dev libtomlplusplus-dev libgtest-dev libbenchmark-dev librapidcheck-dev libmpich-dev mpich
          iproute2)

install_missing() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  ((${#missing[@]} == 0)) && return
  echo "Installing: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "run_all.sh: these packages are missing and need root: apt-get install ${missing[*]}" >&2
      exit 3
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

# Looks where cmake looks, in its order. Where only half of it is there, says what is missing.
have_cuda() {
  local nvcc toolkit nccl missing=''
  for nvcc in "$(type -P nvcc)" "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc ''; do [[ ! -x $nvcc ]] || break; done
  toolkit=$([[ -z $nvcc ]] && echo /usr/local/cuda || dirname "$(dirname "$(readlink -f "$nvcc")")")
  for nccl in ${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH//:/ }} "$toolkit" /usr /usr/local ''; do
    [[ ! -e $nccl/include/nccl.h ]] || break
  done
  [[ -z $nvcc || -z $nccl ]] || return 0
  [[ -z $nvcc ]] || missing="nccl.h: install libnccl-dev, or name NCCL's folder in CMAKE_PREFIX_PATH"
  [[ -z $nccl ]] || missing='nvcc: install the CUDA toolkit (12.4 or newer), or name its folder in CUDA_HOME'
  [[ -z $missing ]] || echo "The cuda back end is left out, for there is no $missing." >&2
  return 1
}

command -v dpkg-query >/dev/null || {
  echo "run_all.sh installs packages with apt and needs Debian or Ubuntu; elsewhere install the" \
       "packages named in it by hand and use: cmake --preset sim && cmake --build --preset sim" >&2
  exit 3
}
install_missing
preset=${GRIDLOCK_PRESET:-$(have_cuda && echo cuda || echo sim)}
build=build/$preset
# One compiler a GiB of memory: template-heavy files need about that much.
jobs=$(($(nproc) < $(awk '/MemAvailable/ {print int($2 / 1048576) + 1}' /proc/meminfo) ?
        $(nproc) : $(awk '/MemAvailable/ {print int($2 / 1048576) + 1}' /proc/meminfo)))
echo "Building preset $preset in $build"
mkdir -p "$build"
cmake --preset "$preset" >"$build/configure.log" || { cat "$build/configure.log"; exit 3; }
cmake --build "$build" --parallel "$jobs"

if [[ ${1-} == test ]]; then
  shift
  ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" "$@"
else
  "$build"/gridlock run "$@"
fi
