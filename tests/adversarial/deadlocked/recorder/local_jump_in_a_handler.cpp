// Both ranks are in a thread's wait that never ends. A signal's handler (a stack dumper) runs on a
// stack of its own and jumps within itself, as code does that probes memory. The wait goes on.
// Naive view: a jump to a higher address leaves the call.
// Expected: deadlock.
#include <csetjmp>
#include <csignal>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  static char* stack = static_cast<char*>(std::malloc(1 << 20));
  const Two two;
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  action.sa_handler = [](int) {
    sigjmp_buf here;
    static volatile int probes = 0;
    if (sigsetjmp(here, 1) == 0) {
      probes = probes + 1;
      siglongjmp(here, 1);
    }
  };
  sigaction(SIGUSR1, &action, nullptr);
  std::thread worker([&] {
    // Higher than this thread's own stack: the main thread's stack has room for it.
    stack_t own{};
    static char* const at = stack;
    own.ss_sp = at;
    own.ss_size = 1 << 20;
    sigaltstack(&own, nullptr);
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    if (rank() == 0) {
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
      two.tell();
    } else {
      two.be_told(0);
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
    }
  });
  pause_ms(100);
  pthread_kill(worker.native_handle(), SIGUSR1);
  struct sigaction none {};
  pause_ms(50);
  none.sa_handler = SIG_IGN;
  sigaction(SIGUSR1, &none, nullptr);
  make_stream();  // recorded: only now is it a deadlock, and the time to detect counts from here
  worker.join();
  return 0;
}
