// A watchdog thread finds that the main thread hangs, and starts the program anew by exec, as in
// watchdog_executes_anew. Gridlock has no core from before the first call until then: the ranks
// stop it.
// Naive view: the program that runs when the box is first seen is the one that has claimed it.
// Expected: it ends by itself; that the first calls did not match is all that may be said.
#include <csignal>
#include <cstring>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes().or_as("corrupts", "mismatch", {0, 1})};

int program(int argc, char** argv) {
  const bool again = argc > 1 && std::strcmp(argv[1], "again") == 0;
  if (again) {
    const std::string port = std::to_string(number_from("MASTER_PORT") + 1);
    setenv("MASTER_PORT", port.c_str(), 1);
    pause_ms(100);  // until the other rank has done so too
    kill(getppid(), SIGCONT);
    const Deadline loaded = in_ms(1500);
    while (!loaded.is_over()) pause_ms(1);
  } else if (rank() == 1) {  // started last
    kill(getppid(), SIGSTOP);
    std::fclose(std::fopen(shared_file("stopped").c_str(), "w"));
  } else {
    while (access(shared_file("stopped").c_str(), F_OK) != 0) pause_ms(1);
  }
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (!again) {
    std::thread([argv] {
      pause_ms(200);
      execl("/proc/self/exe", argv[0], "again", nullptr);
    }).detach();
  }
  // Of different sizes at first, so it never completes.
  all_reduce(world, stream, data, again || rank() == 0 ? 8 : 16);
  check(cudaStreamSynchronize(stream));
  return 0;
}
