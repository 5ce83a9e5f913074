// Rank 0 compresses a checkpoint by a filter (cat), as subprocess.PIPE for both ends: it writes
// all before it reads. The filter waits until its output is read; rank 0 until its input is.
// Expected: deadlock; rank 0 is to blame.
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

static void compress() {
  const Pipe in;
  const Pipe out;
  const pid_t filter = start_helper([&] {
    dup2(in.reading(), 0);
    dup2(out.writing(), 1);
    for (const int end : {in.reading(), in.writing(), out.reading(), out.writing()}) close(end);
    execlp("cat", "cat", nullptr);
  });
  close(in.reading());
  close(out.writing());
  const std::vector<char> checkpoint(1 << 20);
  std::size_t done = 0;
  while (done < checkpoint.size()) {
    const ssize_t size = write(in.writing(), checkpoint.data() + done, checkpoint.size() - done);
    if (size <= 0) std::_Exit(5);
    done += static_cast<std::size_t>(size);
  }
  close(in.writing());
  wait_for(filter);
}

int program(int, char**) { return between_two_steps(compress); }
