// Inference: rank 0 waits for a request, and the others for what rank 0 has got. A client outside
// the job sends one after 2.5 s.
// Naive view: rank 0 sleeps at a descriptor of its own, and all others wait for it.
// Expected: completes.
#include <poll.h>

#include <fstream>
#include <string_view>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = completes(), .ranks = 3, .outsider = true};

int program(int argc, char** argv) {
  const std::string asked = shared_file("asked");
  if (argc > 1 && std::string_view(argv[1]) == "outsider") {
    while (access(asked.c_str(), F_OK) != 0) pause_ms(1);
    sockaddr_in server{};
    socklen_t size = sizeof server;
    std::ifstream(asked, std::ios::binary).read(reinterpret_cast<char*>(&server), size);
    pause_ms(2500);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    demand(connect(client, reinterpret_cast<const sockaddr*>(&server), size) == 0);
    tell(client);
    be_told(client);
    return 0;
  }
  const Training training;
  const int listener = rank() == 0 ? store_listener() : -1;
  training.step();
  // Each rank is also a client: of the health checks, say.
  const int health = store_client();
  if (rank() == 0) {
    for (int i = 0; i < ranks(); ++i) accept(listener, nullptr, nullptr);
  }
  training.step();
  int request = -1;
  if (rank() == 0) {
    const sockaddr_in server = rendezvous_address();
    {
      std::ofstream out(asked + ".new", std::ios::binary);
      out.write(reinterpret_cast<const char*>(&server), sizeof server);
    }
    std::rename((asked + ".new").c_str(), asked.c_str());
    pollfd both{listener, POLLIN, 0};
    poll(&both, 1, -1);
    request = accept(listener, nullptr, nullptr);
    be_told(request);
  }
  training.step();
  if (request >= 0) tell(request);
  close(health);
  return 0;
}
