// The connections of a key-value store, as trainers have one. Its server, in rank 0, listens for
// IPv6 and IPv4 at once, and its clients connect to 127.0.0.1.
#pragma once

#include <sys/socket.h>

#include "tests/adversarial/setup/job.h"

inline void demand(bool holds) {
  if (holds) return;
  std::perror("the store's connections");
  std::_Exit(5);
}

// In rank 0, before the others connect.
inline int store_listener() {
  const int listener = socket(AF_INET6, SOCK_STREAM, 0);
  const int on = 1;
  const int off = 0;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = rendezvous_address().sin_port;
  demand(bind(listener, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
         listen(listener, ranks()) == 0);
  return listener;
}

inline int store_client() {
  const sockaddr_in server = rendezvous_address();
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  demand(connect(client, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0);
  return client;
}

inline void tell(int socket) {
  const char byte = 0;
  demand(send(socket, &byte, 1, MSG_NOSIGNAL) == 1);
}
inline void be_told(int socket) {
  char byte = 0;
  demand(recv(socket, &byte, 1, 0) == 1);
}
