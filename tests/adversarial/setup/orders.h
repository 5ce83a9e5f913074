// A message queue for orders to a rank.
#pragma once

#include <fcntl.h>
#include <mqueue.h>

#include <string>

#include "tests/adversarial/setup/helper.h"

inline std::string name_of_orders() { return shared_name("orders"); }

inline mqd_t open_orders() {
  mq_attr small{};
  small.mq_maxmsg = 1;
  small.mq_msgsize = 8;
  const mqd_t orders = mq_open(name_of_orders().c_str(), O_CREAT | O_RDWR, 0600, &small);
  if (orders < 0) std::_Exit(5);
  return orders;
}

inline void send_order(mqd_t orders) {
  if (mq_send(orders, "x", 1, 0) != 0) std::_Exit(6);
}

// Blocks until one comes.
inline void receive_order(mqd_t orders) {
  char order[8] = {};
  if (mq_receive(orders, order, sizeof order, nullptr) < 0) std::_Exit(7);
}
