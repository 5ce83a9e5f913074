// Without a limit, a launch takes no lock.
#include "sim/cuda/kernels/room.h"

#include <condition_variable>
#include <map>
#include <mutex>

#include "sim/cuda/devices/settings.h"

namespace sim::kernels {
namespace {

struct Rooms {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::map<int, int> running;  // by device; guarded by mutex
};

Rooms& rooms() {
  static Rooms& value = *new Rooms;
  return value;
}

}  // namespace

Room::Room(int device, const std::stop_token& stop) : device_(device) {
  if (settings().room == 0) return;
  std::unique_lock lock(rooms().mutex);
  int& running = rooms().running[device_];
  taken_ = rooms().changed.wait(lock, stop, [&] { return running < settings().room; });
  if (taken_) ++running;
}

Room::~Room() {
  if (settings().room == 0 || !taken_) return;
  const std::lock_guard lock(rooms().mutex);
  --rooms().running[device_];
  rooms().changed.notify_all();
}

}  // namespace sim::kernels
