// Ranks on several hosts that meet at a key-value store, whose server is a thread of rank 0. The
// last rank does not come to the store. `store extra_batch`: it has one more all-reduce instead, so
// all wait for ever. `store helper`: a process that it has started comes for it, after a while.
#include <arpa/inet.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::string value_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text != nullptr) return text;
  std::fprintf(stderr, "%s is not set: start this program with a launcher\n", variable);
  std::exit(1);
}

void demand(bool holds) {
  if (holds) return;
  std::perror("store");
  std::exit(1);
}

sockaddr_in address_of_store() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(std::stoi(value_of("MASTER_PORT")) + 1));
  demand(inet_pton(AF_INET, value_of("MASTER_ADDR").c_str(), &address.sin_addr) == 1);
  return address;
}

void tell(int socket) {
  const char byte = 0;
  demand(send(socket, &byte, 1, MSG_NOSIGNAL) == 1);
}
void be_told(int socket) {
  char byte = 0;
  demand(recv(socket, &byte, 1, 0) == 1);
}

// Answers all clients once each has told something.
void serve(int listener, int clients) {
  std::vector<pollfd> all;
  all.reserve(static_cast<std::size_t>(clients));
  for (int i = 0; i < clients; ++i) all.push_back({accept(listener, nullptr, nullptr), POLLIN, 0});
  close(listener);
  for (int left = clients; left > 0;) {
    poll(all.data(), all.size(), -1);
    for (const pollfd& client : all) {
      if ((client.revents & POLLIN) == 0) continue;
      be_told(client.fd);
      --left;
    }
  }
  for (const pollfd& client : all) tell(client.fd);
}

int listen_there() {
  const sockaddr_in address = address_of_store();
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  demand(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         listen(listener, SOMAXCONN) == 0);
  return listener;
}

// Rank 0 may come later.
int connect_there() {
  const sockaddr_in address = address_of_store();
  while (true) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return client;
    }
    close(client);
    usleep(1000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_helper = argc > 1 && std::string_view(argv[1]) == "helper";
  const int rank = std::stoi(value_of("RANK"));
  const int ranks = std::stoi(value_of("WORLD_SIZE"));
  const bool is_last = rank == ranks - 1;
  std::thread server;
  if (rank == 0) server = std::thread(serve, listen_there(), ranks);
  const int store = connect_there();
  pid_t helper = 0;
  if (is_last && has_helper) {
    helper = fork();
    if (helper == 0) {
      usleep(1'500'000);
      tell(store);
      _exit(0);
    }
  }
  const std::string meeting = value_of("MASTER_ADDR") + ":" + value_of("MASTER_PORT");
  setenv("NCCL_COMM_ID", meeting.c_str(), 1);
  cudaSetDevice(std::stoi(value_of("LOCAL_RANK")));
  ncclUniqueId id;
  ncclComm_t world = nullptr;
  if (ncclGetUniqueId(&id) != ncclSuccess ||
      ncclCommInitRank(&world, ranks, id, rank) != ncclSuccess) {
    std::fprintf(stderr, "rank %d: %s\n", rank, ncclGetLastError(world));
    return 1;
  }
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* value = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&value), sizeof *value);
  const auto batch = [&] {
    ncclAllReduce(value, value, 1, ncclFloat, ncclSum, world, stream);
    cudaStreamSynchronize(stream);
  };
  batch();
  if (!is_last) {
    tell(store);
    be_told(store);
  }
  batch();
  if (helper != 0) waitpid(helper, nullptr, 0);
  if (server.joinable()) server.join();
  ncclCommDestroy(world);
  return 0;
}
