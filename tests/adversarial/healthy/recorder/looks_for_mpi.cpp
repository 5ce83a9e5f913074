// A logger of the program's meets the other processes at an MPI barrier if the process has MPI
// loaded, which it finds out by the name of a function. It has not.
// Naive view: a recorder may define functions of libraries that are not there.
// Expected: completes.
#include <dlfcn.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  void* const found = dlsym(RTLD_DEFAULT, "MPI_Barrier");
  if (found != nullptr) {
    constexpr int kWorld = 0x44000000;
    const int result = reinterpret_cast<int (*)(int)>(found)(kWorld);
    std::fprintf(stderr, "there is an MPI, and its barrier returns %d\n", result);
    if (result != 0) return 7;
  }
  training.step();
  return 0;
}
