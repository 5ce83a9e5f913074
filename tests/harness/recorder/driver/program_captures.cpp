// Programs that capture streams.
#include <chrono>
#include <csetjmp>
#include <cstdio>
#include <thread>

#include "tests/harness/recorder/driver/driver.h"
#include "tests/harness/recorder/driver/program.h"

namespace gridlock {
namespace {

using BeginCapture = cudaError_t (*)(cudaStream_t);

// A captured operation between two uncaptured ones, while the other stream has work in flight.
void capture(BeginCapture begin) {
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  driver::hold(other);
  ncclComm_t communicator = make_communicator();
  all_reduce(communicator, other);
  all_reduce(communicator, stream);
  begin(stream);
  all_reduce(communicator, stream);
  if (own_box().streams.at(0).polled) be_looked_at();
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(other, &graph);  // it is not captured, so the capture goes on
  cudaGetLastError();
  all_reduce(communicator, stream);
  cudaStreamEndCapture(stream, &graph);
  all_reduce(communicator, stream);
  std::printf("captured %d, spoilt %d, ", driver::captured(), driver::spoilt());
  tell_progress();
  tell_error();
}

}  // namespace

void captured() {
  capture([](cudaStream_t stream) {
    return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  });
}

void captured_to_graph() {
  capture([](cudaStream_t stream) {
    return cudaStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0,
                                         cudaStreamCaptureModeGlobal);
  });
}

// Makes its communicator in the middle of a capture, so that the recorder first calls the driver
// there.
void joins_while_capturing() {
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal);
  all_reduce(make_communicator(), stream);
  std::printf("captured %d, spoilt %d, ", driver::captured(), driver::spoilt());
  tell_progress();
  tell_error();
}

// Another thread begins to capture the stream while the recorder enqueues the mark of an operation.
void captured_beside_a_mark() {
  static cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  all_reduce(communicator, stream);
  static std::thread other;
  static int writes = 0;
  driver::tell_writes([] {
    if (++writes != 2) return;  // the first one is in front of the operation
    other = std::thread([] { cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  all_reduce(communicator, stream);
  other.join();
  std::printf("captured %d, ", driver::captured());
  tell_progress();
  tell_error();
}

// As a signal's handler may.
void jumps_out_of_a_capture() {
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  ncclComm_t communicator = make_communicator();
  all_reduce(communicator, stream);
  static std::jmp_buf out;
  driver::tell([](const char*) { std::longjmp(out, 1); });
  if (setjmp(out) == 0) {  // NOLINT(cert-err52-cpp)
    cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed);
  }
  driver::tell([](const char*) {});
  for (int i = 0; i < 3; ++i) all_reduce(communicator, stream);
  std::printf("captured %d, ", driver::captured());
  tell_progress();
  tell_error();
}

}  // namespace gridlock
