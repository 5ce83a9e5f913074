// A CUDA event with an owner. Destroying it never waits: if the device has not reached the event
// yet, it frees it later.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "scenarios/runtime/check.h"

namespace gridlock {

// Without timing: only for order.
//   Blocks  no
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept { return std::swap(event_, other.event_), *this; }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace gridlock
