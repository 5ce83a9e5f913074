// The checkpoint thread, which has been silent so far, waits for a request in a queue of
// messages (mq_timedreceive) for 2.5 s before its first call.
// Naive view: a thread that was silent so far stays silent.
// Expected: completes.
#include <fcntl.h>
#include <mqueue.h>

#include <ctime>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    const std::string name = "/adversarial-" + std::to_string(getpid());
    const mqd_t queue = mq_open(name.c_str(), O_CREAT | O_RDONLY, 0600, nullptr);
    if (queue < 0) std::_Exit(9);
    mq_unlink(name.c_str());
    char message[8192];
    timespec limit{};
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 2;
    mq_timedreceive(queue, message, sizeof message, nullptr, &limit);
  });
}
