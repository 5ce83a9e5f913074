// Rank 0 waits for its helper's byte in a pipe. The helper sleeps at a pipe that rank 0 writes to.
// It has a socket that signals (O_ASYNC); its handler of IO writes the byte. A datagram comes from
// outside the job.
// Naive view: only rank 0 could wake the helper.
// Expected: completes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

static int g_to_rank = -1;

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("port").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2500);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int port = 0;
    std::ifstream(shared_file("port")) >> port;
    to.sin_port = htons(static_cast<uint16_t>(port));
    sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
    return 0;
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe orders;
    const Pipe answers;
    const pid_t helper = start_helper([&] {
      g_to_rank = answers.writing();
      struct sigaction action {};
      action.sa_handler = [](int) { (void)!write(g_to_rank, "x", 1); };
      action.sa_flags = SA_RESTART;
      sigaction(SIGIO, &action, nullptr);
      const int in = socket(AF_INET, SOCK_DGRAM, 0);
      sockaddr_in at{};
      at.sin_family = AF_INET;
      at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (bind(in, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) _exit(5);
      socklen_t size = sizeof at;
      getsockname(in, reinterpret_cast<sockaddr*>(&at), &size);
      fcntl(in, F_SETOWN, getpid());
      fcntl(in, F_SETFL, O_ASYNC | O_NONBLOCK);
      std::ofstream(shared_file("port_")) << ntohs(at.sin_port);
      rename(shared_file("port_").c_str(), shared_file("port").c_str());
      char order = 0;
      if (read(orders.reading(), &order, 1) != 1) _exit(5);
    });
    char answer = 0;
    if (read(answers.reading(), &answer, 1) != 1) return 5;
    if (write(orders.writing(), "x", 1) != 1) return 6;
    wait_for(helper);
  }
  training.step();
  return 0;
}
