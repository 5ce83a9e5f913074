// Another program has taken the port where the ranks should meet.
//
// Lesson    A fixed port is shared with everything else on the machine: with the previous job,
//           which may still be running, and with any job that somebody else has started.
// Watch     Only rank 0 listens, so only rank 0 gets "Address already in use". The others connect
//           without an error, because another program does listen there. That program never
//           answers, so they wait until their own deadline ends them.
// Cure      Let the system choose the port (bind to port 0), and tell all ranks. Above all: no
//           rendezvous without a deadline.
// In PyTorch
//     os.environ["MASTER_PORT"] = "29500"                          # bug: everybody's number
//     # cure: torchrun --standalone --nproc-per-node 4 train.py    (finds a free port, tells all)
//     dist.init_process_group("nccl", timeout=timedelta(seconds=60))            # and a deadline
// Seen in   pytorch#126510 and #47461 (a fixed default port, two jobs on one machine);
//           Megatron-LM#343

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>

#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

// How long a rank waits for the others. The wait is short where they cannot come.
constexpr auto kImpatient = std::chrono::milliseconds(400);
constexpr auto kPatient = std::chrono::seconds(30);

// Listens on a port that the system chooses; the socket stays open as long as the process lives.
int listen_anywhere() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("cannot listen on any port of this machine.");
  }
  return listener;
}

int port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// Starts another program that listens, and that ends with this one at the latest. Returns its port.
int start_stranger() {
  const int listener = listen_anywhere();
  const pid_t parent = getpid();
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();  // never answers anybody
    _exit(0);
  }
  const int port = port_of(listener);
  close(listener);  // the other program has its own copy now
  return port;
}

// The port that rank 0 tells all ranks.
int from_rank_zero(Rank& rank, int port) { return rank.rendezvous().exchange(port).front(); }

// Meets the other ranks at `port`, not at the environment's.
void meet(Rank& rank, int port, std::chrono::milliseconds deadline) {
  Environment environment = read_environment();
  environment.master_port = port;
  Rendezvous rendezvous(environment, deadline);
  const bool met = rendezvous.exchange(rank.rank()) == all_ranks(rank.world_size());
  rank.report().numbers(met, "every rank met every other");
  rank.rendezvous().exchange("met");  // nobody leaves before all have met
}

void free_port(Rank& rank) {
  rank.rendezvous().exchange("all are there");  // from here on nobody listens at that port
  meet(rank, read_environment().master_port, kPatient);
}

void taken_port(Rank& rank) {
  // BUG: a number from a configuration file, and another program has that port
  meet(rank, from_rank_zero(rank, rank.rank() == 0 ? start_stranger() : 0), kImpatient);
}

void next_number(Rank& rank) {
  // BUG: only rank 0 knows that it took the next number
  const int taken = from_rank_zero(rank, rank.rank() == 0 ? start_stranger() : 0);
  meet(rank, rank.rank() == 0 ? port_of(listen_anywhere()) : taken, kImpatient);
}

void picked_port(Rank& rank) {
  int picked = 0;
  if (rank.rank() == 0) {
    start_stranger();
    const int listener = listen_anywhere();  // FIX: the system knows which port is free
    picked = port_of(listener);
    close(listener);
  }
  // Here rank 0 tells the others over the launcher's rendezvous. A variable is more usual.
  meet(rank, from_rank_zero(rank, picked), kPatient);
}

constexpr Variant kVariants[] = {
    {"free_port", control, "nobody else is there", free_port},
    {"taken_port", broken,
     "rank 0 gets an error, the others wait for a stranger until their deadline", taken_port,
     all_fail},
    {"next_number", remedy, "rank 0 takes another port by itself, and the others do not know",
     next_number, all_fail},
    {"picked_port", fix, "the system picks a port, and rank 0 tells all ranks", picked_port},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "another program listens on the port where the ranks should meet",
    .claims = {"E9"},
    .variants = kVariants,
};
