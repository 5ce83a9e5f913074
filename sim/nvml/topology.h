// How the simulated devices of a node are connected, as GRIDLOCK_SIM_TOPOLOGY says.
#pragma once

#include <optional>

namespace sim::nvml {

enum class Topology {
  pcie,      // no NVLink; NCCL finds each device at the root of an unknown socket
  nvlink,    // devices in fours, six NVLinks between each two of them
  nvswitch,  // 18 NVLinks from each device to a switch that they share
  sockets,   // no NVLink; two sockets, each with a PCIe switch for four devices
};

constexpr unsigned kLinks = 18;  // that an H100 has

// Reads the environment. An unknown name is reported on stderr, and means pcie.
Topology read_topology();

// What is at the other end of a link.
struct Neighbour {
  bool is_switch = false;
  unsigned device = 0;  // if it is no switch
};

// Of link `link` of device `device`, among `devices`. None if the link is down.
std::optional<Neighbour> neighbour(Topology topology, unsigned device, unsigned link,
                                   unsigned devices);

}  // namespace sim::nvml
