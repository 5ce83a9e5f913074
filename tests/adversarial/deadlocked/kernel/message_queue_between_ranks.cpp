// Rank 1 waits for an order at a message queue before the next step. Rank 0 sends it after that
// step.
// Expected: deadlock; both ranks.
#include "tests/adversarial/setup/orders.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Training training;
  const mqd_t orders = open_orders();
  training.step();
  mq_unlink(name_of_orders().c_str());
  training.step();
  if (rank() == 1) receive_order(orders);
  training.step();
  if (rank() == 0) send_order(orders);
  return 0;
}
