// NVLinks, as NVML tells of them. The switch is not visible, as in most virtual machines.
#include <atomic>
#include <cstdio>
#include <optional>

#include "sim/nvml/devices.h"
#include "sim/nvml/nvml.h"
#include "sim/nvml/topology.h"

namespace sim::nvml {
namespace {

constexpr char kInvisible[] = "FFFFFFF:FFFF:FF";  // what NVML says in place of its bus id

constexpr int kPeers = 0, kPeerAtomics = 2, kValid = 5, kCapabilities = 6;  // of a link
constexpr unsigned kStateOfLink = 165;  // NVML_FI_DEV_NVLINK_GET_STATE
constexpr int kUnsigned = 1;            // NVML_VALUE_TYPE_UNSIGNED_INT

std::atomic<Topology> chosen = Topology::pcie;

// The other end of a link that is up.
std::optional<Neighbour> neighbour_of(Device device, unsigned link) {
  return neighbour(chosen, number_of(device), link, count());
}

bool has_links() { return chosen == Topology::nvlink || chosen == Topology::nvswitch; }

Return state_of(Device device, unsigned link, unsigned& state) {
  if (link >= kLinks) return kInvalidArgument;
  if (!has_links()) return kNotSupported;
  state = neighbour_of(device, link) ? 1 : 0;
  return kSuccess;
}

}  // namespace

void connect_devices() { chosen = read_topology(); }

SIM_NVML Return nvmlDeviceGetNvLinkState(Device device, unsigned link, int* state) {
  unsigned value = 0;
  if (!exists(device) || state == nullptr) return kInvalidArgument;
  const Return result = state_of(device, link, value);
  if (result == kSuccess) *state = static_cast<int>(value);
  return result;
}

SIM_NVML Return nvmlDeviceGetNvLinkCapability(Device device, unsigned link, int capability,
                                              unsigned* has) {
  if (!exists(device) || link >= kLinks || capability < 0 || capability >= kCapabilities ||
      has == nullptr) {
    return kInvalidArgument;
  }
  if (!has_links()) return kNotSupported;
  *has = capability == kPeers || capability == kPeerAtomics || capability == kValid ? 1 : 0;
  return kSuccess;
}

SIM_NVML Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciInfo* info) {
  if (!exists(device) || link >= kLinks || info == nullptr) return kInvalidArgument;
  if (!has_links()) return kNotSupported;
  const std::optional<Neighbour> other = neighbour_of(device, link);
  if (!other) return kNotSupported;
  if (!other->is_switch) return nvmlDeviceGetPciInfo_v3(handle_of(other->device), info);
  *info = {};
  std::snprintf(info->bus_id_legacy, sizeof info->bus_id_legacy, "%s", kInvisible);
  std::snprintf(info->bus_id, sizeof info->bus_id, "%s", kInvisible);
  return kSuccess;
}
SIM_NVML Return nvmlDeviceGetNvLinkRemotePciInfo(Device device, unsigned link, PciInfo* info) {
  return nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, info);
}

// Of all fields, NCCL asks for the state of NVLinks and for links to the processor (NVLink-C2C),
// which no simulated device has.
SIM_NVML Return nvmlDeviceGetFieldValues(Device device, int number, FieldValue* values) {
  if (!exists(device) || values == nullptr) return kInvalidArgument;
  for (int n = 0; n < number; ++n) {
    values[n].result = kNotSupported;
    if (values[n].field != kStateOfLink) continue;
    unsigned state = 0;
    values[n].result = state_of(device, values[n].scope, state);
    if (values[n].result != kSuccess) continue;
    values[n].value_type = kUnsigned;
    values[n].value = state;
  }
  return kSuccess;
}

}  // namespace sim::nvml
