// A training that hangs at first, until its own watchdog starts the program anew.
#pragma once

#include <cstring>
#include <thread>

#include "tests/adversarial/setup/job.h"

inline bool is_again(int argc, char** argv) {
  return argc > 1 && std::strcmp(argv[1], "again") == 0;
}

// The new program meets at another port, and loads its data for a while before its first call.
inline void load_again() {
  const std::string port = std::to_string(number_from("MASTER_PORT") + 1);
  setenv("MASTER_PORT", port.c_str(), 1);
  const Deadline loaded = in_ms(1500);
  while (!loaded.is_over()) pause_ms(1);
}

// The first program's calls differ in size, so they never complete.
inline int train(char** argv, bool again) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (!again) {
    std::thread([argv] {
      pause_ms(200);
      execl("/proc/self/exe", argv[0], "again", nullptr);
    }).detach();
  }
  all_reduce(world, stream, data, again || rank() == 0 ? 8 : 16);
  check(cudaStreamSynchronize(stream));
  return 0;
}
