// Rank 0 waits for a batch, and the thread that fetches it looks at a helper's pipe every 50 ms.
// The helper writes after three seconds.
// Naive view: nobody but threads that nap is awake.
// Expected: completes.
#include "tests/adversarial/setup/crossed.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Pipe batches;
  const auto load = [&] {
    for (int look = 0; look < 60; ++look) pause_ms(50);
    if (write(batches.writing(), "", 1) != 1) std::_Exit(5);
  };
  if (rank() == 0) start_helper(load);
  return crossed_until([&] { wait_for_who_polls(batches.reading(), 50); });
}
