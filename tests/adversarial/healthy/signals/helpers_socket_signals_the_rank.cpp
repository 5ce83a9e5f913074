// Rank 0 waits in a collective that rank 1 does not make. A socket sends rank 0 a signal (IO) when
// a datagram comes, whose handler gives the communicator up. Rank 0 has passed the socket to its
// helper, which sleeps at a pipe. A datagram comes from outside the job.
// Naive view: rank 0 itself has no descriptor that signals, so only a process sends it IO.
// Expected: completes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("port").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(3000);
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
  wait_until_given_up(training, [] {
    struct sigaction action {};
    action.sa_handler = give_up;
    action.sa_flags = SA_RESTART;
    sigaction(SIGIO, &action, nullptr);
    const int in = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(in, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) std::_Exit(5);
    socklen_t size = sizeof at;
    getsockname(in, reinterpret_cast<sockaddr*>(&at), &size);
    fcntl(in, F_SETOWN, getpid());
    fcntl(in, F_SETFL, O_ASYNC | O_NONBLOCK);
    const pid_t rank = getpid();
    start_helper([&] {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != rank) return;
      read_what_nobody_writes();
    });
    close(in);
    std::ofstream(shared_file("port_")) << ntohs(at.sin_port);
    rename(shared_file("port_").c_str(), shared_file("port").c_str());
    return 0;
  });
  return 0;
}
