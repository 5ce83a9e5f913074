// Rank 0 waits for an upload. A thread looks every 100 ms whether the program that uploads has
// ended, as Python's Popen.wait() does with a limit; it sleeps for three seconds.
// Naive view: nobody but threads that nap is awake.
// Expected: completes.
#include "tests/adversarial/setup/crossed.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const pid_t child = rank() == 0 ? start_helper([] { sleep(3); }) : 0;
  return crossed_until([&] {
    Event is_uploaded;
    std::thread looks([&] {
      while (waitpid(child, nullptr, WNOHANG) == 0) pause_ms(100);
      is_uploaded.tell();
    });
    is_uploaded.wait();
    looks.join();
  });
}
