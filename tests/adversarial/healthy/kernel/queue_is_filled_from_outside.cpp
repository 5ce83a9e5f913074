// Rank 0 waits for an order at a message queue. A process outside the job sends it after 2 s.
// Naive view: only rank 0 has the queue open, so it waits for itself.
// Expected: completes.
#include <fstream>

#include "tests/adversarial/setup/orders.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  const std::string asked = shared_file("asked");
  if (argc > 1) {
    while (access(asked.c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2000);
    send_order(open_orders());
    return mq_unlink(name_of_orders().c_str());
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    const mqd_t orders = open_orders();
    std::ofstream(asked) << 1;
    receive_order(orders);
  }
  training.step();
  return 0;
}
