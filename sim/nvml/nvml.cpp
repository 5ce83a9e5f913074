// libnvidia-ml.so.1: the devices of the simulated CUDA, as NVML would describe them.
#include <cstdio>
#include <cstring>
#include <string>

#include "sim/nvml/devices.h"

namespace sim::nvml {
namespace {

constexpr unsigned kPciDevice = 0x2330'10de;  // an H100's, which NCCL's tables know
constexpr unsigned kPciSubsystem = 0x16c1'10de;
constexpr int kPcieSpeed = 32000;  // MB/s a lane: generation 5
constexpr unsigned kPcieGeneration = 5;
constexpr unsigned kPcieLanes = 16;

struct Address {
  unsigned domain = 0, bus = 0, device = 0;
  bool operator==(const Address&) const = default;
};

bool parse(const char* text, Address& address) {
  return text != nullptr &&
         std::sscanf(text, "%x:%x:%x", &address.domain, &address.bus, &address.device) >= 2;
}

Address address_of(Device device) {
  Address address;
  parse(runtime::pci_bus_id(static_cast<int>(number_of(device))).c_str(), address);
  return address;
}

template <std::size_t size>
void write_bus(char (&text)[size], const char* form, const Address& at) {
  std::snprintf(text, size, form, at.domain, at.bus, at.device);
}

}  // namespace

SIM_NVML Return nvmlInit_v2() {
  connect_devices();
  return kSuccess;
}
SIM_NVML Return nvmlInit() { return nvmlInit_v2(); }
SIM_NVML Return nvmlShutdown() { return kSuccess; }

SIM_NVML const char* nvmlErrorString(Return result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNotFound:
      return "Not Found";
  }
  return "Unknown Error";
}

SIM_NVML Return nvmlDeviceGetCount_v2(unsigned* number) {
  if (number == nullptr) return kInvalidArgument;
  *number = count();
  return kSuccess;
}
SIM_NVML Return nvmlDeviceGetCount(unsigned* number) { return nvmlDeviceGetCount_v2(number); }

SIM_NVML Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (device == nullptr || index >= count()) return kInvalidArgument;
  *device = handle_of(index);
  return kSuccess;
}
SIM_NVML Return nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

SIM_NVML Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device) {
  Address wanted;
  if (device == nullptr || !parse(bus_id, wanted)) return kInvalidArgument;
  for (unsigned number = 0; number < count(); ++number) {
    if (address_of(handle_of(number)) != wanted) continue;
    *device = handle_of(number);
    return kSuccess;
  }
  return kNotFound;
}
SIM_NVML Return nvmlDeviceGetHandleByPciBusId(const char* bus_id, Device* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

SIM_NVML Return nvmlDeviceGetIndex(Device device, unsigned* index) {
  if (!exists(device) || index == nullptr) return kInvalidArgument;
  *index = number_of(device);
  return kSuccess;
}

SIM_NVML Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  if (!exists(device) || major == nullptr || minor == nullptr) return kInvalidArgument;
  *major = 9;
  *minor = 0;
  return kSuccess;
}

SIM_NVML Return nvmlDeviceGetP2PStatus(Device one, Device other, int /*what*/, int* status) {
  if (!exists(one) || !exists(other) || status == nullptr) return kInvalidArgument;
  *status = 0;  // NVML_P2P_STATUS_OK
  return kSuccess;
}

SIM_NVML Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  if (!exists(device) || info == nullptr) return kInvalidArgument;
  const Address at = address_of(device);
  *info = {};
  info->domain = at.domain, info->bus = at.bus, info->device = at.device;
  info->pci_device_id = kPciDevice, info->pci_subsystem_id = kPciSubsystem;
  write_bus(info->bus_id, "%08X:%02X:%02X.0", at);
  write_bus(info->bus_id_legacy, "%04X:%02X:%02X.0", at);
  return kSuccess;
}

SIM_NVML Return nvmlDeviceGetPciInfoExt(Device device, PciInfoExt* info) {
  if (!exists(device) || info == nullptr) return kInvalidArgument;
  const Address at = address_of(device);
  *info = {.version = info->version,
           .domain = at.domain,
           .bus = at.bus,
           .device = at.device,
           .pci_device_id = kPciDevice,
           .pci_subsystem_id = kPciSubsystem,
           .base_class = 3,
           .sub_class = 2,
           .bus_id = {}};
  write_bus(info->bus_id, "%08X:%02X:%02X.0", at);
  return kSuccess;
}

SIM_NVML Return nvmlDeviceGetPcieLinkMaxSpeed(Device device, int* speed) {
  if (!exists(device) || speed == nullptr) return kInvalidArgument;
  *speed = kPcieSpeed;
  return kSuccess;
}
SIM_NVML Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* generation) {
  if (!exists(device) || generation == nullptr) return kInvalidArgument;
  *generation = kPcieGeneration;
  return kSuccess;
}
SIM_NVML Return nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* lanes) {
  if (!exists(device) || lanes == nullptr) return kInvalidArgument;
  *lanes = kPcieLanes;
  return kSuccess;
}

// There is no fabric of several nodes and no confidential computing.
SIM_NVML Return nvmlDeviceGetGpuFabricInfoV(Device, void*) { return kNotSupported; }
SIM_NVML Return nvmlSystemGetConfComputeState(void*) { return kNotSupported; }
SIM_NVML Return nvmlSystemGetConfComputeSettings(void*) { return kNotSupported; }

}  // namespace sim::nvml
