// NVML's handles of the simulated devices.
#pragma once

#include <cstdint>

#include "sim/cuda/interface/runtime.h"
#include "sim/nvml/nvml.h"

#define SIM_NVML extern "C" __attribute__((visibility("default")))

namespace sim::nvml {

// Handles are numbers from 1, so that none is null.
inline Device handle_of(unsigned number) {
  return reinterpret_cast<Device>(std::uintptr_t{number} + 1);
}
inline unsigned number_of(Device device) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device) - 1);
}
inline unsigned count() { return static_cast<unsigned>(runtime::device_count()); }
inline bool exists(Device device) { return device != nullptr && number_of(device) < count(); }

// Reads how the devices are connected (GRIDLOCK_SIM_TOPOLOGY).
void connect_devices();

SIM_NVML Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info);

}  // namespace sim::nvml
