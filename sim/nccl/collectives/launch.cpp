// The order of launches and the room on a device.
#include "sim/nccl/collectives/launch.h"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>

#include "sim/nccl/api/log.h"
#include "sim/nccl/members/communicator.h"

namespace sim::nccl {
namespace {

bool host_order() {
  static const bool wanted = [] {
    const char* text = std::getenv("NCCL_LAUNCH_ORDER_IMPLICIT");
    return text != nullptr && std::strtoll(text, nullptr, 0) != 0;  // as NCCL reads it
  }();
  return wanted;
}

int read_room() {
  constexpr int kNoLimit = std::numeric_limits<int>::max();
  const char* text = std::getenv("GRIDLOCK_SIM_ROOM");
  if (text == nullptr || *text == '\0') return kNoLimit;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (*end == '\0' && number > 0 && number < kNoLimit) return static_cast<int>(number);
  warn("GRIDLOCK_SIM_ROOM=%s is not a number of operations: give 1 or more", text);
  return kNoLimit;
}

int room() {
  static const int operations = read_room();
  return operations;
}

}  // namespace

Launches& launches_of(int device) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, Launches>;
  const std::lock_guard lock(mutex);
  return all[device];
}

std::uint64_t Launches::issue() {
  const std::lock_guard lock(mutex_);
  return issued_++;
}

bool Launches::begin(std::uint64_t place, const Communicator& communicator) {
  // An abort wakes the communicator's waiters but not the device's, so this wait polls for it.
  constexpr std::chrono::milliseconds kLook(5);
  std::unique_lock lock(mutex_);
  const auto may_begin = [&] {
    return communicator.stopped() || ((!host_order() || next_ == place) && running_ < room());
  };
  while (!changed_.wait_for(lock, kLook, may_begin)) {
  }
  const bool begins = !communicator.stopped();
  if (begins) ++running_;
  pass(place);
  return begins;
}

void Launches::end() {
  const std::lock_guard lock(mutex_);
  --running_;
  changed_.notify_all();
}

void Launches::skip(std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  pass(place);
}

void Launches::pass(std::uint64_t place) {
  out_.insert(place);
  while (out_.erase(next_) != 0) ++next_;
  changed_.notify_all();
}

}  // namespace sim::nccl
