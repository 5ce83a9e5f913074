// The part of NVML that NCCL calls to learn how the devices of a node are connected. Names and
// layouts are the ABI that NCCL declares for itself (src/include/nvmlwrap.h, BSD-3-Clause).
#pragma once

#include <cstdint>

namespace sim::nvml {

enum Return : int {
  kSuccess = 0,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
};

using Device = struct DeviceOfNvml*;

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device;
  unsigned pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

struct PciInfoExt {
  unsigned version;
  unsigned domain, bus, device;
  unsigned pci_device_id, pci_subsystem_id;
  unsigned base_class, sub_class;
  char bus_id[32];
};

struct FieldValue {
  unsigned field, scope;
  std::int64_t timestamp, latency_us;
  int value_type;
  Return result;
  std::uint64_t value;
};

}  // namespace sim::nvml
