// Keeps the thread's last error and capture mode as the program left them.
#include "harness/recorder/core/aside.h"

#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {
namespace {

Cuda<cudaError_t()> g_last_error("cudaGetLastError");
Cuda<cudaError_t()> g_peek("cudaPeekAtLastError");
Cuda<cudaError_t(cudaStreamCaptureMode*)> g_exchange_mode("cudaThreadExchangeStreamCaptureMode");

}  // namespace

OwnErrors::OwnErrors() : clean_(g_peek.get() != nullptr && g_peek.get()() == cudaSuccess) {}

OwnErrors::~OwnErrors() {
  if (clean_ && g_last_error.get() != nullptr) g_last_error.get()();
}

BesideCaptures::BesideCaptures() {
  if (auto* exchange = g_exchange_mode.get()) exchange(&mode_);
}

BesideCaptures::~BesideCaptures() {
  if (auto* exchange = g_exchange_mode.get()) exchange(&mode_);
}

}  // namespace gridlock::recorder
