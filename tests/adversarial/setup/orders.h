// A message queue for orders to a rank.
#pragma once

#include <fcntl.h>
#include <mqueue.h>

#include <filesystem>
#include <string>

#include "tests/adversarial/setup/helper.h"

// No other run has the same.
inline std::string name_of_orders() {
  const std::filesystem::path folder = std::filesystem::path(shared_file("orders")).parent_path();
  return "/gridlock_" + folder.filename().string();
}

inline mqd_t open_orders() {
  const mqd_t orders = mq_open(name_of_orders().c_str(), O_CREAT | O_RDWR, 0600, nullptr);
  if (orders < 0) std::_Exit(5);
  return orders;
}

inline void send_order(mqd_t orders) {
  if (mq_send(orders, "x", 1, 0) != 0) std::_Exit(6);
}

// Blocks until one comes.
inline void receive_order(mqd_t orders) {
  char order[8192] = {};
  if (mq_receive(orders, order, sizeof order, nullptr) < 0) std::_Exit(7);
}
