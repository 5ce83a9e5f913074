// The program reaches NCCL and CUDA through its own handle (dlopen, and dlsym on that handle). Two
// communicators are crossed on one stream.
// Naive view: calls that bypass the preloaded names are not recorded.
// Expected: deadlock; a cycle of both.
#include <dlfcn.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  void* library = dlopen(std::getenv("ADVERSARIAL_SIM"), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 5;
  const auto reduce = reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(library, "ncclAllReduce"));
  const auto synchronize =
      reinterpret_cast<decltype(&cudaStreamSynchronize)>(dlsym(library, "cudaStreamSynchronize"));
  Two two;
  const auto all = [&](ncclComm_t comm) {
    check(reduce(two.x, two.x, 64, ncclFloat, ncclSum, comm, two.on_first));
  };
  all(rank() == 0 ? two.first : two.second);
  all(rank() == 0 ? two.second : two.first);
  check(synchronize(two.on_first));
  return 0;
}
