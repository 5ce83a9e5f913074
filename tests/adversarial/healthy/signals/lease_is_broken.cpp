// Rank 0 waits in a collective that rank 1 does not make. It has a lease on its file of settings
// (F_SETLEASE), and gives the communicator up when the kernel signals that somebody opens the file.
// A process outside the job does.
// Naive view: no descriptor has O_ASYNC, so only a process sends that signal.
// Expected: completes.
#include <fcntl.h>

#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

static int g_file = -1;

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("waits").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(3000);
    open(shared_file("settings").c_str(), O_RDWR | O_NONBLOCK);
    return 0;
  }
  const Training training;
  wait_until_given_up(training, [] {
    struct sigaction action {};
    action.sa_handler = [](int number) {
      give_up(number);
      fcntl(g_file, F_SETLEASE, F_UNLCK);
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGRTMIN + 4, &action, nullptr);
    g_file = open(shared_file("settings").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fcntl(g_file, F_SETSIG, SIGRTMIN + 4) != 0) std::_Exit(5);
    if (fcntl(g_file, F_SETLEASE, F_WRLCK) != 0) std::_Exit(6);
    std::ofstream(shared_file("waits")) << "yes";
    return 0;
  });
  return 0;
}
