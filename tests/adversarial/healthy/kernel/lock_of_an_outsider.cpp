// Rank 0 waits for a file lock. A process outside the job holds it, which has closed the file; its
// mapping keeps the lock until it ends. A helper of the rank has the file open too, but not the
// lock.
// Naive view: of those who have the file open, only the rank's own helper could give up the lock.
// Expected: completes.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char** argv) {
  const std::string path = shared_file("locked");
  if (argc > 1 && std::strcmp(argv[1], "outsider") == 0) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 4096) != 0 || flock(file, LOCK_EX) != 0) return 1;
    if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) return 1;
    close(file);
    std::ofstream(shared_file("taken")) << 1;
    while (access(shared_file("asked").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2000);
    return 0;
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    while (access(shared_file("taken").c_str(), F_OK) != 0) pause_ms(1);
    const int file = open(path.c_str(), O_RDWR);
    const pid_t helper = start_helper(read_what_nobody_writes);
    std::ofstream(shared_file("asked")) << 1;
    if (flock(open(path.c_str(), O_RDWR), LOCK_EX) != 0) return 6;
    kill(helper, SIGKILL);
    wait_for(helper);
    close(file);
  }
  training.step();
  return 0;
}
