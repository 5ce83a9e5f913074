// Rank 1 writes more into a pipe of its own than fits. Its helper, which holds only the write end,
// enlarges the pipe later.
// Naive view: only who holds the read end can make room, and that is rank 1 itself.
// Expected: completes.
#include <fcntl.h>

#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Pipe batches;
  pid_t helper = -1;
  if (rank() == 1) {
    helper = start_helper([&] {
      close(batches.reading());
      pause_ms(2000);
      fcntl(batches.writing(), F_SETPIPE_SZ, 1 << 20);
    });
  }
  const Training training;
  training.step();
  const std::vector<char> batch(100'000);
  if (rank() == 1 && write(batches.writing(), batch.data(), batch.size()) != 100'000) return 6;
  training.step();
  if (rank() == 1) wait_for(helper);
  return 0;
}
