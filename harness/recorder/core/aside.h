// The recorder's own calls to CUDA, which the program must not notice.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::recorder {

// Whether the thread has an error that the program has not fetched yet.
bool has_pending_error();

// While one lives, our calls may fail: at its end, the thread's last error is clean again if it was
// clean before. (An error that the program has not fetched yet cannot be restored.)
class OwnErrors {
 public:
  OwnErrors();
  OwnErrors(const OwnErrors&) = delete;
  OwnErrors& operator=(const OwnErrors&) = delete;
  ~OwnErrors();

 private:
  bool clean_;
};

// While one lives, this thread's calls do not break captures on other threads.
class BesideCaptures {
 public:
  BesideCaptures();
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;
  ~BesideCaptures();

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then the thread's previous mode
};

// While one lives, `device` is this thread's current one.
class OnDevice {
 public:
  explicit OnDevice(std::uint32_t device);
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice();

 private:
  int before_ = -1;  // -1: the same
};

}  // namespace gridlock::recorder
