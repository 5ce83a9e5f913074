// Calls of our own to CUDA, aside from the program: it must notice nothing of them.
#pragma once

#include <cuda_runtime_api.h>

namespace gridlock::recorder {

// While one lives, calls of ours may fail: at its end the thread's last error is as clean as it
// was. (An error that the program has not fetched yet cannot be put back.)
class OwnErrors {
 public:
  OwnErrors();
  OwnErrors(const OwnErrors&) = delete;
  OwnErrors& operator=(const OwnErrors&) = delete;
  ~OwnErrors();

 private:
  bool clean_;
};

// While one lives, this thread's calls spoil no capture that is under way elsewhere.
class BesideCaptures {
 public:
  BesideCaptures();
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;
  ~BesideCaptures();

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then what the thread had before
};

}  // namespace gridlock::recorder
