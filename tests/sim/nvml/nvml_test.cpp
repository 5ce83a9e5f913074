// The stand-in for NVML: links between devices for each GRIDLOCK_SIM_TOPOLOGY. NCCL loads it by its
// name, and so does this test.
#include "sim/nvml/nvml.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>

#include "sim/nvml/topology.h"

namespace sim::nvml {
namespace {

constexpr unsigned kStateOfLink = 165;
constexpr unsigned kLinksToProcessor = 170;

class Nvml : public testing::Test {
 protected:
  Nvml() { setenv("GRIDLOCK_SIM_DEVICES", "8", 1); }
  ~Nvml() override { unsetenv("GRIDLOCK_SIM_TOPOLOGY"); }

  template <class... Arguments>
  Return call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Return (*)(Arguments...)>(dlsym(library_, name));
    EXPECT_NE(function, nullptr) << name;
    return function == nullptr ? kNotFound : function(arguments...);
  }

  void connect(const char* topology) const {
    setenv("GRIDLOCK_SIM_TOPOLOGY", topology, 1);
    EXPECT_EQ(call("nvmlInit_v2"), kSuccess);
  }

  Device device(unsigned number) const {
    Device device = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", number, &device), kSuccess);
    return device;
  }

  // How many links that are up lead from device `number` to each bus id, as NCCL counts them.
  std::map<std::string, int> links(unsigned number) const {
    std::map<std::string, int> found;
    for (unsigned link = 0; link < kLinks; ++link) {
      unsigned peers = 0;
      FieldValue state{};
      state.field = kStateOfLink, state.scope = link;
      PciInfo other{};
      if (call("nvmlDeviceGetNvLinkCapability", device(number), link, 0, &peers) != kSuccess ||
          peers == 0 || call("nvmlDeviceGetFieldValues", device(number), 1, &state) != kSuccess ||
          state.result != kSuccess || state.value == 0 ||
          call("nvmlDeviceGetNvLinkRemotePciInfo", device(number), link, &other) != kSuccess) {
        continue;
      }
      ++found[other.bus_id_legacy];
    }
    return found;
  }

  using Links = std::map<std::string, int>;
  void* library_ = dlopen(GRIDLOCK_NVML_LIBRARY, RTLD_NOW);
};

TEST_F(Nvml, PcieAndSocketsHaveNoLinks) {
  for (const char* topology : {"", "pcie", "sockets"}) {
    connect(topology);
    EXPECT_TRUE(links(0).empty()) << topology;
    unsigned peers = 0;
    EXPECT_EQ(call("nvmlDeviceGetNvLinkCapability", device(0), 0U, 0, &peers), kNotSupported);
  }
}

TEST_F(Nvml, NvlinkConnectsEachTwoOfFour) {
  connect("nvlink");
  EXPECT_EQ(links(0), (Links{{"0000:02:00.0", 6}, {"0000:03:00.0", 6}, {"0000:04:00.0", 6}}));
  EXPECT_EQ(links(3), (Links{{"0000:01:00.0", 6}, {"0000:02:00.0", 6}, {"0000:03:00.0", 6}}));
  EXPECT_EQ(links(6), (Links{{"0000:05:00.0", 6}, {"0000:06:00.0", 6}, {"0000:08:00.0", 6}}));
}

TEST_F(Nvml, NvswitchHasAllLinksOfAllDevices) {
  connect("nvswitch");
  for (unsigned number = 0; number < 8; ++number) {
    EXPECT_EQ(links(number), (Links{{"FFFFFFF:FFFF:FF", 18}}));
  }
}

TEST_F(Nvml, WhatIsNotThereIsRefused) {
  connect("nvswitch");
  PciInfo other{};
  int state = 0;
  unsigned peers = 0;
  EXPECT_EQ(call("nvmlDeviceGetNvLinkRemotePciInfo", device(0), kLinks, &other), kInvalidArgument);
  EXPECT_EQ(call("nvmlDeviceGetNvLinkState", device(0), kLinks, &state), kInvalidArgument);
  EXPECT_EQ(call("nvmlDeviceGetNvLinkCapability", device(0), 0U, 6, &peers), kInvalidArgument);
  FieldValue values[2]{};
  values[0].field = kLinksToProcessor;
  values[1].field = kStateOfLink, values[1].scope = kLinks;
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(0), 2, &values[0]), kSuccess);
  EXPECT_EQ(values[0].result, kNotSupported);
  EXPECT_EQ(values[1].result, kInvalidArgument);
}

TEST_F(Nvml, AnUnknownTopologyIsNamedAndMeansPcie) {
  testing::internal::CaptureStderr();
  connect("ring");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gridlock-sim: GRIDLOCK_SIM_TOPOLOGY=ring is none of pcie, nvlink, nvswitch and "
            "sockets; using pcie.\n");
  EXPECT_TRUE(links(0).empty());
}

// Fewer devices than four: a link to a device that is not there is down.
TEST(NvmlTopology, AMissingDeviceHasNoLinks) {
  for (unsigned link = 0; link < kLinks; ++link) {
    const auto other = neighbour(Topology::nvlink, 0, link, 2);
    EXPECT_EQ(other.has_value(), link < 6) << link;
    if (other) {
      EXPECT_EQ(other->device, 1U);
    }
  }
}

}  // namespace
}  // namespace sim::nvml
