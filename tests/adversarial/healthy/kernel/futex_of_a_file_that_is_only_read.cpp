// Rank 0 waits at a futex in a private mapping of a file that it may only read. Such a page is the
// file's own, so a helper that maps the file too wakes the rank, a second later.
// Naive view: the mapping is private, so only the rank's own threads can.
// Expected: completes.
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

std::atomic<int>* map(int file, int rights, int kind) {
  void* memory = mmap(nullptr, sizeof(int), rights, kind, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::atomic<int>*>(memory);
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const int file = memfd_create("word", MFD_CLOEXEC);
    if (ftruncate(file, sizeof(int)) != 0) return 5;
    const pid_t helper = start_helper([file] {
      std::atomic<int>* word = map(file, PROT_READ | PROT_WRITE, MAP_SHARED);
      pause_ms(1000);
      *word = 1;
      syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    });
    const std::atomic<int>* word = map(file, PROT_READ, MAP_PRIVATE);
    close(file);
    while (*word == 0) syscall(SYS_futex, word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
    wait_for(helper);
  }
  training.step();
  return 0;
}
