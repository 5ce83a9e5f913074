// The devices of this process. They are made at the first use and never destroyed, because the
// threads of their streams may outlive main().
#include "sim/cuda/devices/device.h"

#include <atomic>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/settings.h"

namespace sim {
namespace {

thread_local int current = 0;

struct Slot {
  std::atomic<Device*> device{nullptr};
};

std::vector<Slot>& slots() {
  static auto& value = *new std::vector<Slot>(static_cast<std::size_t>(settings().devices));
  return value;
}

}  // namespace

Device::Device(int number)
    : legacy(new Stream(number, Stream::Kind::kLegacy, cudaStreamDefault, 0)) {
  refuse_after_fork();
}

std::vector<Mark> Device::marks() {
  const std::lock_guard lock(mutex);
  std::vector<Mark> result{legacy->last()};
  for (Stream* stream : streams) result.push_back(stream->last());
  return result;
}

bool device_exists(int number) { return number >= 0 && number < settings().devices; }

Device& device(int number) {
  std::atomic<Device*>& slot = slots()[static_cast<std::size_t>(number)].device;
  if (Device* made = slot.load()) return *made;
  static std::mutex& making = *new std::mutex;
  const std::lock_guard lock(making);
  if (slot.load() == nullptr) slot.store(new Device(number));
  return *slot.load();
}

int current_device() { return current; }
void set_current_device(int number) { current = number; }

void synchronize(int number) {
  for (const Mark& mark : device(number).marks()) mark.wait();
}

}  // namespace sim
