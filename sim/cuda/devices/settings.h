// What the environment says about the simulated machine, read once at the first use.
#pragma once

#include <cstddef>

namespace sim {

struct Settings {
  int devices;          // GRIDLOCK_SIM_DEVICES; at least 8, or LOCAL_WORLD_SIZE where that is more
  int multiprocessors;  // GRIDLOCK_SIM_MULTIPROCESSORS: of each device
  int room;  // GRIDLOCK_SIM_ROOM: kernels of a device that run side by side; 0: any number
  std::size_t memory;  // GRIDLOCK_SIM_MEMORY: bytes a device, K, M and G are understood
};

const Settings& settings();

}  // namespace sim
