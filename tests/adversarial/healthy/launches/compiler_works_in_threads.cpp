// The compiler of CUDA's driver (libnvidia-ptxjitcompiler) compiles a kernel in two threads of
// its own, and the launching thread waits for them for 2.5 s, without new memory of its own.
// Then rank 0 tells rank 1 to go on.
// Naive view: a launch whose thread gets no memory does not compile.
// Expected: completes.
#include <dlfcn.h>

#include "tests/adversarial/setup/plugin.h"
#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
void (*g_compile)() = nullptr;
}

int program(int, char**) {
  const Two two;
  g_compile = reinterpret_cast<void (*)()>(
      dlsym(load_plugin("libnvidia-ptxjitcompiler"), "compile_in_threads"));
  if (g_compile == nullptr) return 5;
  launch_that_lasts(
      two, [] { g_compile(); }, host_function);
  return 0;
}
