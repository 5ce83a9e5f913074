// Rank 0 waits in a collective that rank 1 does not make. The kernel signals it when a message
// comes into a queue (mq_notify); the handler gives the communicator up. The message comes from
// outside. Naive view: only processes send signals. Expected: completes.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .options = kStandsForLong, .outsider = true};

int program(int argc, char**) {
  const std::string name = shared_name("queue");
  if (argc > 1) {
    while (access(shared_file("waits").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(3000);
    const mqd_t queue = mq_open(name.c_str(), O_WRONLY);
    mq_send(queue, "x", 1, 0);
    mq_unlink(name.c_str());
    return 0;
  }
  const Training training;
  wait_until_given_up(training, [&] {
    struct sigaction action {};
    action.sa_handler = give_up;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR2, &action, nullptr);
    const mqd_t queue = mq_open(name.c_str(), O_RDONLY | O_CREAT, 0600, nullptr);
    if (queue < 0) std::_Exit(5);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR2;
    if (mq_notify(queue, &event) != 0) std::_Exit(6);
    std::ofstream(shared_file("waits")) << "yes";
    return 0;
  });
  return 0;
}
