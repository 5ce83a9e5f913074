// Rank 0 waits for a signal (sigwaitinfo) that the kernel sends when a datagram comes (O_ASYNC,
// F_SETSIG). One comes from outside the job a while later.
// Naive view: only processes of the job send it that signal.
// Expected: completes.
#include <arpa/inet.h>
#include <fcntl.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("port").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2000);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int port = 0;
    std::ifstream(shared_file("port")) >> port;
    to.sin_port = htons(static_cast<uint16_t>(port));
    const int out = socket(AF_INET, SOCK_DGRAM, 0);
    sendto(out, "x", 1, 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
    return 0;
  }
  const int wanted = SIGRTMIN + 3;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, wanted);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const Training training;
  training.step();
  if (rank() == 0) {
    const int in = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(in, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return 5;
    socklen_t size = sizeof at;
    getsockname(in, reinterpret_cast<sockaddr*>(&at), &size);
    fcntl(in, F_SETOWN, getpid());
    fcntl(in, F_SETSIG, wanted);
    fcntl(in, F_SETFL, O_ASYNC | O_NONBLOCK);
    const std::string name = shared_file("port");
    std::ofstream(name + "_") << ntohs(at.sin_port);
    rename((name + "_").c_str(), name.c_str());
    siginfo_t info{};
    if (sigwaitinfo(&set, &info) != wanted) return 5;
  }
  training.step();
  return 0;
}
