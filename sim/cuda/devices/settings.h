// The environment's settings of the simulated machine, read once at the first use.
#pragma once

#include <cstddef>

namespace sim {

struct Settings {
  int devices;          // GRIDLOCK_SIM_DEVICES; at least 8, or LOCAL_WORLD_SIZE if that is more
  int multiprocessors;  // GRIDLOCK_SIM_MULTIPROCESSORS: of each device
  int room;  // GRIDLOCK_SIM_ROOM: kernels that can run at the same time on a device; 0: any number
  std::size_t memory;  // GRIDLOCK_SIM_MEMORY: bytes per device, with an optional K, M or G
};

const Settings& settings();

}  // namespace sim
