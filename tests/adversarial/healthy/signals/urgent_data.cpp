// Rank 0 waits in a collective that rank 1 does not make. It owns a connection to the job's manager
// (F_SETOWN, outside the job), which sends it urgent data: the kernel then signals URG, and the
// handler gives the communicator up.
// Naive view: no descriptor has O_ASYNC, so only a process sends that signal.
// Expected: completes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return 5;
    socklen_t size = sizeof at;
    getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size);
    listen(listener, 1);
    std::ofstream(shared_file("port_")) << ntohs(at.sin_port);
    rename(shared_file("port_").c_str(), shared_file("port").c_str());
    const int rank = accept(listener, nullptr, nullptr);
    pause_ms(3000);
    send(rank, "x", 1, MSG_OOB);
    pause_ms(3000);
    return 0;
  }
  const Training training;
  wait_until_given_up(training, [] {
    struct sigaction action {};
    action.sa_handler = give_up;
    action.sa_flags = SA_RESTART;
    sigaction(SIGURG, &action, nullptr);
    while (access(shared_file("port").c_str(), F_OK) != 0) pause_ms(1);
    int port = 0;
    std::ifstream(shared_file("port")) >> port;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(port));
    const int manager = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(manager, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) std::_Exit(5);
    fcntl(manager, F_SETOWN, getpid());
    return 0;
  });
  return 0;
}
