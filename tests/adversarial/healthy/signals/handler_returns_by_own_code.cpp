// Rank 0 has set a signal's handler by a system call, with code of its own to return by, as
// runtimes of other languages do. The kernel restores the default first (SA_RESETHAND). The handler
// takes its time and gives up the communicator on which rank 0 waits. Naive view: who runs a
// handler has the address of the C library's code for its end on the stack. Expected: completes.
#include <sys/syscall.h>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .options = {"--stall-limit", "500ms"}};

#ifdef __x86_64__
asm(R"(
.text
return_by_own_code:
  movl $15, %eax
  syscall
)");
extern "C" void return_by_own_code();

struct KernelsAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

static void handle(int number, void (*handler)(int)) {
  constexpr unsigned long kHasRestorer = 0x04000000;
  const KernelsAction action{handler, kHasRestorer | SA_RESETHAND, return_by_own_code, 0};
  if (syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof action.mask) != 0) std::_Exit(8);
}
#else
static void handle(int number, void (*handler)(int)) { std::signal(number, handler); }
#endif

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    handle(SIGTERM, give_up_late);
    return helper_sends(SIGTERM, 200);
  });
  return 0;
}
