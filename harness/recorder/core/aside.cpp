// Keeps the thread's last error and capture mode as the program left them.
#include "harness/recorder/core/aside.h"

#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {
namespace {

GRIDLOCK_LOOKUP Cuda<cudaError_t()> g_last_error("cudaGetLastError");
GRIDLOCK_LOOKUP Cuda<cudaError_t()> g_peek("cudaPeekAtLastError");
GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaStreamCaptureMode*)> g_exchange_mode(
    "cudaThreadExchangeStreamCaptureMode");

GRIDLOCK_LOOKUP Cuda<cudaError_t(int*)> g_device_now("cudaGetDevice");
GRIDLOCK_LOOKUP Cuda<cudaError_t(int)> g_go_to_device("cudaSetDevice");

}  // namespace

bool has_pending_error() { return g_peek.get() != nullptr && g_peek.get()() != cudaSuccess; }

OwnErrors::OwnErrors() : clean_(!has_pending_error()) {}

OwnErrors::~OwnErrors() {
  if (clean_ && g_last_error.get() != nullptr) g_last_error.get()();
}

BesideCaptures::BesideCaptures() {
  if (auto* exchange = g_exchange_mode.get()) exchange(&mode_);
}

BesideCaptures::~BesideCaptures() {
  if (auto* exchange = g_exchange_mode.get()) exchange(&mode_);
}

OnDevice::OnDevice(std::uint32_t device) {
  int now = 0;
  const bool is_known = g_device_now.get() != nullptr && g_device_now.get()(&now) == cudaSuccess;
  if (!is_known || now == static_cast<int>(device) || g_go_to_device.get() == nullptr) return;
  if (g_go_to_device.get()(static_cast<int>(device)) == cudaSuccess) before_ = now;
}

OnDevice::~OnDevice() {
  if (before_ >= 0) g_go_to_device.get()(before_);
}

}  // namespace gridlock::recorder
