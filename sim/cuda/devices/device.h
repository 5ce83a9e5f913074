// A simulated device: its default stream and the streams created on it.
#pragma once

#include <mutex>
#include <vector>

#include "sim/cuda/streams/stream_object.h"

namespace sim {

struct Device {
  explicit Device(int number);

  Stream* const legacy;
  std::mutex mutex;              // taken before any stream's
  std::vector<Stream*> streams;  // all but `legacy`, until closed and drained; guarded by mutex

  // The points at which all work that is now on the device is done.
  std::vector<Mark> marks();
};

bool device_exists(int number);

// REQUIRES: device_exists(number)
Device& device(int number);

int current_device();
void set_current_device(int number);

// Blocks   until all work that is now on the device is done
void synchronize(int number);

}  // namespace sim
