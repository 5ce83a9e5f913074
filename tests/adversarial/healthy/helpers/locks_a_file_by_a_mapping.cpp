// Rank 0 waits for a file lock. The helper that holds it has closed the file; its mapping keeps the
// lock until it ends.
// Naive view: nobody but the rank has the file open, so nobody can give up the lock.
// Expected: completes.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe taken;
    const std::string path = shared_file("locked");
    const pid_t helper = start_helper([&] {
      const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
      if (ftruncate(file, 4096) != 0 || flock(file, LOCK_EX) != 0) _exit(1);
      if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) _exit(1);
      close(file);
      if (write(taken.writing(), "x", 1) != 1) _exit(1);
      pause_ms(1000);
    });
    char byte = 0;
    if (read(taken.reading(), &byte, 1) != 1) return 5;
    if (flock(open(path.c_str(), O_RDWR), LOCK_EX) != 0) return 6;
    wait_for(helper);
  }
  training.step();
  return 0;
}
