// NVML's handles of the simulated devices.
#pragma once

#include "sim/cuda/interface/runtime.h"
#include "sim/nvml/nvml.h"

#define SIM_NVML extern "C" __attribute__((visibility("default")))

namespace sim::nvml {

// A handle is the address of a device's place; so none is null.
inline constexpr unsigned kMostDevices = 4096;  // as GRIDLOCK_SIM_DEVICES allows
inline char places[kMostDevices];
inline Device handle_of(unsigned number) { return reinterpret_cast<Device>(&places[number]); }
inline unsigned number_of(Device device) {
  return static_cast<unsigned>(reinterpret_cast<char*>(device) - places);
}
inline unsigned count() { return static_cast<unsigned>(runtime::device_count()); }
inline bool exists(Device device) { return device != nullptr && number_of(device) < count(); }

// Reads how the devices are connected (GRIDLOCK_SIM_TOPOLOGY).
void connect_devices();

SIM_NVML Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info);

}  // namespace sim::nvml
