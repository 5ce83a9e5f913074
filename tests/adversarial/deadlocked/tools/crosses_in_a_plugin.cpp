// The ranks cross two communicators in a plugin, which finds NCCL's function by RTLD_NEXT: it needs
// NCCL, and was loaded after it.
// Naive view: what comes next was loaded later.
// Expected: deadlock; a cycle of both.
#include <dlfcn.h>

#include "tests/adversarial/setup/job.h"
#include "tests/adversarial/setup/plugin.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  void* const plugin = load_plugin("asks_for_the_next");
  using Reduce = ncclResult_t (*)(float*, ncclComm_t, cudaStream_t);
  auto* const reduce = reinterpret_cast<Reduce>(dlsym(plugin, "reduce_by_plugin"));
  check(reduce(two.x, rank() == 0 ? two.first : two.second, two.on_first));
  check(reduce(two.x, rank() == 0 ? two.second : two.first, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
