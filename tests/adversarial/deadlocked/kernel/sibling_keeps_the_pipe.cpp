// Rank 0 forks two loaders. The second has inherited the end of the first one's pipe that rank 0
// closes to end it, so the first never reads the end, and rank 0 waits for it for ever.
// Expected: deadlock; rank 0 is to blame.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

static void end_the_first() {
  const Pipe first;
  const Pipe second;
  const auto load = [](const Pipe& orders) {
    return [&orders] {
      close(orders.writing());
      char order = 0;
      while (read(orders.reading(), &order, 1) == 1) {
      }
    };
  };
  const pid_t one = start_helper(load(first));
  const pid_t two = start_helper(load(second));
  close(first.writing());
  wait_for(one);
  close(second.writing());
  wait_for(two);
}

int program(int, char**) { return between_two_steps(end_the_first); }
