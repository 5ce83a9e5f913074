#!/usr/bin/env bash
# Everything, from a bare Debian or Ubuntu machine:
#   ./run_all.sh [ARGS of `gridlock run`]   install what is missing, build what a run needs, run the catalogue
#   ./run_all.sh test [ARGS of `ctest`]     install what is missing, build everything, run all tests
#   ./run_all.sh nccl VERSION [--source TARBALL_OR_FOLDER]   build the real NCCL for the simulated CUDA, run four scenarios
# The cuda programs are built for a run if there is a GPU, and for the tests if there are nvcc and NCCL.
# GRIDLOCK_PRESET names another preset than `auto`. Full logs lie in build/<preset>/*.log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/progress.sh

run_packages=(g++ cmake ninja-build pkg-config libfmt-dev libcli11-dev nlohmann-json3-dev libdw-dev libpugixml-dev
              libtomlplusplus-dev libmpich-dev mpich)
test_packages=(libgtest-dev libbenchmark-dev librapidcheck-dev iproute2)

install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  ((${#missing[@]} == 0)) && return
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "run_all.sh: these packages are missing and need root: apt-get install ${missing[*]}" >&2
      exit 3
    }
    as_root=(sudo)
  fi
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  {
    "${as_root[@]}" apt-get update -qq &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  } >"$build/install.log" 2>&1 || fail_with "apt-get failed" "$build/install.log"
}

# Looks in the same places as cmake, in the same order. If only a part is there, says what is missing.
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
  [[ -z $missing ]] || echo "The cuda back end is left out, because there is no $missing." >&2
  return 1
}

# Looks for clang as nccl/steps/tools.py does.
have_clang() {
  local name
  [[ -z ${GRIDLOCK_CLANG-} ]] || return 0
  for name in clang++-{19..40} clang++; do
    if command -v "$name" >/dev/null && [[ $("$name" --version) =~ version\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 19)); then
      return 0
    fi
  done
  return 1
}

have_gpu() { compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /dev/dxg ]]; }

configure() {
  local launcher=() existing=$build/CMakeCache.txt
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # What only the tests need is not required before somebody runs the tests.
  if [[ $command == test || ! -e $existing ]]; then
    launcher+=("-DGRIDLOCK_TESTS=$tests" "-DGRIDLOCK_BENCHMARKS=$tests")
  fi
  cmake --preset "$preset" "${launcher[@]}" >"$build/configure.log" 2>&1 ||
    fail_with "the build could not be configured" "$build/configure.log"
}

build() {
  : >"$build/build.log"
  cmake --build "$build" --parallel "$jobs" "$@" 2>&1 | follow Building "$build/build.log" ||
    fail_with "the build failed" "$build/build.log" '^FAILED:'
}

command -v dpkg-query >/dev/null || {
  echo "run_all.sh installs packages with apt and needs Debian or Ubuntu. Elsewhere install the packages" \
       "that it names by hand, then: cmake --preset sim && cmake --build --preset sim" >&2
  exit 3
}
command=run tests=OFF
if [[ ${1-} == test ]]; then
  command=test tests=ON
  shift
fi
if [[ ${1-} == nccl ]]; then
  command=nccl
  shift
  if (($# != 1 && $# != 3)) || [[ ${1--} == -* || ${2---source} != --source ]]; then
    echo "run_all.sh: give one version, as in: ./run_all.sh nccl 2.28.9 [--source TARBALL_OR_FOLDER]" >&2
    exit 2
  fi
fi
preset=${GRIDLOCK_PRESET:-auto}
build=build/$preset
mkdir -p "$build"
# A compiler needs up to one GiB of memory.
export CCACHE_SLOPPINESS=pch_defines,time_macros  # what ccache wants for precompiled headers
memory=$(awk '/MemAvailable/ {print int($2 / 1048576) + 1}' /proc/meminfo)
jobs=$(($(nproc) < memory ? $(nproc) : memory))

if [[ $command == run ]]; then
  install_missing "${run_packages[@]}"
  configure
  targets=(gridlock gridlock_recorder gridlock_gpus gridlock_scenarios_sim)
  if [[ $preset == cuda ]] || { have_gpu && have_cuda; }; then targets+=(gridlock_scenarios_cuda); fi
  build --target "${targets[@]}"
  exec "$build"/gridlock run "$@"
fi
if [[ $command == nccl ]]; then
  extra=(python3)
  have_clang || extra+=(clang-19)
  (($# == 3)) || extra+=(git)
  install_missing "${run_packages[@]}" "${extra[@]}"
  configure
  build --target gridlock gridlock_recorder gridlock_gpus gridlock_nvml gridlock_scenarios_sim
  python3 nccl/build.py "$@" --out "$build/nccl" --headers sim/include --cuda "$build"
  version=${1#v}
  exec "$build"/gridlock run --nccl "${version%-1}" uneven_batches interleaved_communicators stray_synchronize \
    sync_batchnorm_stall
fi
install_missing "${run_packages[@]}" "${test_packages[@]}"
have_cuda || true  # says what is missing
configure
build
: >"$build/test.log"
failed=0
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$((4 * jobs))" "$@" 2>&1 |
  follow Testing "$build/test.log" || failed=$?
second=()
if ((failed != 0)) && are_whole_runs "$(failed_tests "$build/test.log")"; then
  second=("$build/test_again.log")
  : >"${second[0]}"
  failed=0
  ctest --test-dir "$build" --rerun-failed --output-on-failure 2>&1 | follow "Testing again" "${second[0]}" || failed=$?
fi
count_tests "$build/test.log" "${second[@]}"
exit "$failed"
