// NVML knows NVLinks only. Sockets, PCIe switches and what a PCIe device is are in Linux's /sys,
// which has no simulated device; topologies/NAME.xml says them to NCCL (NCCL_TOPO_FILE).
#include "sim/nvml/topology.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace sim::nvml {
namespace {

constexpr unsigned kGroup = 4;  // devices that NVLink connects directly
constexpr unsigned kLinksToEach = kLinks / (kGroup - 1);

constexpr std::pair<std::string_view, Topology> kNames[] = {{"pcie", Topology::pcie},
                                                            {"nvlink", Topology::nvlink},
                                                            {"nvswitch", Topology::nvswitch},
                                                            {"sockets", Topology::sockets}};

}  // namespace

Topology read_topology() {
  const char* text = std::getenv("GRIDLOCK_SIM_TOPOLOGY");
  if (text == nullptr || *text == '\0') return Topology::pcie;
  for (const auto& [name, topology] : kNames) {
    if (name == text) return topology;
  }
  std::fprintf(stderr,
               "gridlock-sim: GRIDLOCK_SIM_TOPOLOGY=%s is none of pcie, nvlink, nvswitch and "
               "sockets; using pcie.\n",
               text);
  return Topology::pcie;
}

std::optional<Neighbour> neighbour(Topology topology, unsigned device, unsigned link,
                                   unsigned devices) {
  if (link >= kLinks) return std::nullopt;
  if (topology == Topology::nvswitch) return Neighbour{.is_switch = true};
  if (topology != Topology::nvlink) return std::nullopt;
  // The first six links lead to the next device of the four, and so on.
  const unsigned first = device / kGroup * kGroup;
  const unsigned other = first + (device - first + 1 + link / kLinksToEach) % kGroup;
  if (other >= devices) return std::nullopt;
  return Neighbour{.device = other};
}

}  // namespace sim::nvml
