// A plugin that calls CUDA in its constructor is loaded and unloaded 100 times, while another
// thread trains and looks up functions of CUDA's and NCCL's by handles.
// Expected: completes.
#include <dlfcn.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/plugin.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  std::atomic<bool> ended = false;
  std::thread looks_up([&] {
    while (!ended) {
      void* const cuda = dlopen("libgridlock_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
      if (cuda == nullptr || dlsym(cuda, "cudaMalloc") == nullptr) std::_Exit(5);
      if (dlsym(cuda, "cudaNobody") != nullptr || dlerror() == nullptr) std::_Exit(6);
      dlclose(cuda);
      if (dlsym(RTLD_DEFAULT, "ncclAllReduce") == nullptr) std::_Exit(7);
    }
  });
  for (int i = 0; i < 100; ++i) {
    dlclose(load_plugin("warms_up"));
    training.step();
  }
  ended = true;
  looks_up.join();
  return 0;
}
