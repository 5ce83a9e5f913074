// Rank 0 waits for a counter (eventfd). A helper that sleeps on a pipe of rank 0's has given the
// kernel work (Linux AIO), which adds one to the counter a second later. In the second round the
// helper has closed its own descriptor of the counter, which the kernel keeps.
// Naive view: whoever holds the counter sleeps, so nobody is left to add to it.
// Expected: completes.
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <cstdint>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

// The kernel adds one to `counter` in a second, whatever this process does meanwhile.
static void order(int counter) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec once{};
  once.it_value.tv_sec = 1;
  timerfd_settime(timer, 0, &once, nullptr);
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, 4, &context) != 0) _exit(5);
  iocb work{};
  work.aio_lio_opcode = IOCB_CMD_POLL;
  work.aio_fildes = static_cast<std::uint32_t>(timer);
  work.aio_buf = POLLIN;
  work.aio_flags = IOCB_FLAG_RESFD;
  work.aio_resfd = static_cast<std::uint32_t>(counter);
  iocb* works = &work;
  if (syscall(SYS_io_submit, context, 1, &works) != 1) _exit(6);
}

int program(int, char**) {
  const Training training;
  training.step();
  for (const bool keeps : {true, false}) {
    if (rank() == 0) {
      const Pipe until;
      const int counter = eventfd(0, 0);
      const pid_t helper = start_helper([&] {
        order(counter);
        if (!keeps) close(counter);
        char word = 0;
        if (read(until.reading(), &word, 1) != 1) _exit(7);
      });
      std::uint64_t count = 0;
      if (read(counter, &count, sizeof count) != sizeof count) return 5;
      if (write(until.writing(), "x", 1) != 1) return 6;
      wait_for(helper);
      close(counter);
    }
    training.step();
  }
  return 0;
}
