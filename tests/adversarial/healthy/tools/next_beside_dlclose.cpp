// A thread asks for the next of NCCL's functions, as a tool does, while another one loads and
// unloads libraries.
// Naive view: the list of loaded libraries can be walked at any time.
// Expected: completes.
#include <dlfcn.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  std::atomic<bool> ends = false;
  std::thread loader([&] {
    while (!ends) {
      for (const char* name : {"libanl.so.1", "libthread_db.so.1", "libBrokenLocale.so.1"}) {
        if (void* library = dlopen(name, RTLD_LAZY)) dlclose(library);
      }
    }
  });
  for (const Deadline end = in_ms(1500); !end.is_over();) {
    if (dlsym(RTLD_NEXT, "ncclAllReduce") == nullptr) return 5;
  }
  ends = true;
  loader.join();
  cudaStream_t stream = make_stream();
  all_reduce(world, stream, device_floats());
  check(cudaStreamSynchronize(stream));
  return 0;
}
