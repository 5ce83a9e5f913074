// The recorder's own calls to CUDA, which the program must not notice.
#pragma once

#include <cuda_runtime_api.h>

namespace gridlock::recorder {

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

}  // namespace gridlock::recorder
