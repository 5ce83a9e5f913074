// How agents find and trust each other. Agent 0 listens. Its invitation, with its addresses and a
// secret, reaches all agents through MPI. The others connect and show the secret.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/agents/channel.h"
#include "harness/base/file_descriptor.h"

namespace gridlock::agents {

struct Invitation {
  std::vector<std::string> addresses;  // numeric: IPv4 first, the loopback's and IPv6 last
  std::uint16_t port = 0;
  std::vector<std::uint64_t> secret;
};

// How an agent introduces itself when it connects.
struct Greeting {
  std::vector<std::uint64_t> secret;
  int index = 0;
  std::string host;     // its name
  std::string machine;  // equal on agents that share a host: its name and that of its boot
  std::string version;  // of gridlock, with the commit
};

class Listener {
 public:
  //   Errors   MachineError if no port is free
  Listener();

  const Invitation& invitation() const { return invitation_; }

  struct Guest {
    Greeting greeting;
    std::unique_ptr<Channel> channel;
    std::string address;  // the address of ours that it reached
  };
  // Accepts and welcomes the next agent that has the secret.
  //   Errors   MachineError if none comes within kMeetingLimit
  Guest accept();

 private:
  FileDescriptor socket_;
  Invitation invitation_;
};

// Connects to the first of the addresses where the inviting agent answers.
//   Errors   MachineError if none does within kMeetingLimit
std::unique_ptr<Channel> connect(const Invitation& invitation, const Greeting& greeting);

std::string to_bytes(const Invitation& invitation);
Invitation invitation_from(std::string_view bytes);

// This machine's name and identity for a greeting.
std::string host_name();
std::string machine_name();

}  // namespace gridlock::agents
