// How ordinary programs send the unique id from rank 0 to the others: one TCP connection each.
#pragma once

#include <arpa/inet.h>
#include <nccl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// A number that the launcher put into the environment.
inline int number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text != nullptr) return std::atoi(text);
  std::fprintf(stderr, "%s is not set: start this program with a launcher\n", variable);
  std::exit(1);
}

// On this machine, unless the launcher names another one by its number.
inline sockaddr_in rendezvous_address() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(number_from("MASTER_PORT")));
  const char* master = std::getenv("MASTER_ADDR");
  if (master == nullptr || inet_pton(AF_INET, master, &address.sin_addr) != 1) {
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  return address;
}

inline void serve_id(const ncclUniqueId& id, int clients) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = rendezvous_address();
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, clients) != 0) {
    std::perror("rendezvous");
    std::exit(1);
  }
  for (int i = 0; i < clients; ++i) {
    const int client = accept(listener, nullptr, nullptr);
    if (write(client, &id, sizeof id) != static_cast<ssize_t>(sizeof id)) std::exit(1);
    close(client);
  }
  close(listener);
}

inline ncclUniqueId receive_id() {
  const sockaddr_in address = rendezvous_address();
  while (true) {
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    ncclUniqueId id;
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        recv(server, &id, sizeof id, MSG_WAITALL) == static_cast<ssize_t>(sizeof id)) {
      close(server);
      return id;
    }
    close(server);
    usleep(1000);
  }
}

inline ncclUniqueId exchange_id(int rank, int ranks) {
  if (rank != 0) return receive_id();
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  serve_id(id, ranks - 1);
  return id;
}
