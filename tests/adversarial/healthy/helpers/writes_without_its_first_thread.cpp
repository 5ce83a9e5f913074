// Rank 0 reads from a pipe. The first thread of the helper at its other end has ended, and another
// thread writes after a second.
// Naive view: /proc/PID/fd of that helper is empty, so nobody holds the other end.
// Expected: completes.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe pipe;
    const pid_t helper = start_helper([&] {
      close(pipe.reading());
      std::thread([end = pipe.writing()] {
        pause_ms(1000);
        _exit(write(end, "x", 1) == 1 ? 0 : 1);
      }).detach();
      pthread_exit(nullptr);
    });
    close(pipe.writing());
    char byte = 0;
    if (read(pipe.reading(), &byte, 1) != 1) return 5;
    wait_for(helper);
  }
  training.step();
  return 0;
}
