// Rank 1's thread for checkpoints waits for what the kernel writes for it, for 2.5 s at most
// (io_pgetevents), and then makes its first recorded call, for which rank 0 waits.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <linux/aio_abi.h>
#include <sys/syscall.h>

#include <ctime>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  return first_call_after([] {
    aio_context_t context = 0;
    if (syscall(SYS_io_setup, 4, &context) != 0) return pause_ms(2500);
    io_event event{};
    timespec limit{.tv_sec = 2, .tv_nsec = 500'000'000};
    syscall(SYS_io_pgetevents, context, 1, 1, &event, &limit, nullptr);
  });
}
