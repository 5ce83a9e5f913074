// Rank 0 waits in a thread whose stack is locked in memory at its upper end, so it is two mappings.
// A signal's handler with a large array of its own takes its time there, and gives up the
// communicator on which the thread waits.
// Naive view: a thread's stack is one mapping.
// Expected: completes.
#include <pthread.h>
#include <sys/mman.h>

#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = {"--stall-limit", "500ms"}};

static ncclComm_t other = nullptr;
static const Training* trains = nullptr;

static void give_up(int) {
  volatile char room[200'000];
  room[0] = 1;
  pause_ms(1200);
  ncclCommAbort(other);
  room[sizeof room - 1] = room[0];
}

static void block(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(how, &set, nullptr);
}

static void* wait_there(void*) {
  block(SIG_UNBLOCK);
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  all_reduce(other, trains->stream, trains->data);
  check(cudaStreamSynchronize(trains->stream));
  return nullptr;
}

static pthread_t start_on_split_stack() {
  constexpr std::size_t kSize = 4 << 20;
  constexpr std::size_t kUpper = 100 << 10;
  void* const stack =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  // Either splits it.
  void* const upper = static_cast<char*>(stack) + kSize - kUpper;
  if (mlock(upper, kUpper) != 0) madvise(upper, kUpper, MADV_DONTDUMP);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kSize);
  pthread_t thread{};
  if (pthread_create(&thread, &attributes, wait_there, nullptr) != 0) std::_Exit(8);
  return thread;
}

int program(int, char**) {
  const Training training;
  trains = &training;
  check(ncclCommSplit(training.world, 0, rank(), &other, nullptr));
  training.step();
  if (rank() == 0) {
    struct sigaction action {};
    action.sa_handler = give_up;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGTERM, &action, nullptr);
    block(SIG_BLOCK);
    const pthread_t thread = start_on_split_stack();
    const pid_t helper = start_helper([] {
      pause_ms(300);
      kill(getppid(), SIGTERM);
    });
    pthread_join(thread, nullptr);
    wait_for(helper);
  }
  training.step();
  trains = nullptr;
  return 0;
}
