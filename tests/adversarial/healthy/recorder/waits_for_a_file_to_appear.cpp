// Rank 0 sleeps until a file appears (inotify) that somebody outside of the job makes two seconds
// later; rank 1 is in an all-reduce meanwhile.
// Expected: completes.
#include <fcntl.h>
#include <sys/inotify.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .outsider = true};

int program(int argc, char**) {
  const std::string name = shared_file("go");
  if (argc > 1) {
    pause_ms(2500);
    return open(name.c_str(), O_CREAT | O_WRONLY, 0600) < 0 ? 1 : 0;
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    const int watch = inotify_init1(IN_CLOEXEC);
    inotify_add_watch(watch, shared_file("").c_str(), IN_CREATE);
    while (access(name.c_str(), F_OK) != 0) {
      char events[4096];
      if (read(watch, events, sizeof events) < 0) return 5;
    }
  }
  training.step();
  return 0;
}
