// Small programs that print how their own streams move, according to their box.
#include "tests/harness/recorder/driver/program.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/files.h"
#include "harness/record/reader.h"
#include "tests/harness/recorder/driver/driver.h"

namespace gridlock {

record::Snapshot own_box() {
  const char* address = std::getenv("GRIDLOCK_BOXES");
  const std::string boxes = address == nullptr ? ":" : address;
  const std::size_t colon = boxes.rfind(':');
  return record::read_file(boxes.substr(0, colon) + "/" + boxes.substr(colon + 1));
}

void be_looked_at() {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const std::uint64_t before = own_box().polls;
  while (own_box().polls < before + 2) {
    if (std::chrono::steady_clock::now() < limit) continue;
    std::puts("the polling thread is silent");
    std::_Exit(1);
  }
}

void tell_progress() {
  if (own_box().streams.at(0).polled) be_looked_at();
  const record::Stream stream = own_box().streams.at(0);
  std::printf("%d/%d ", static_cast<int>(stream.started), static_cast<int>(stream.completed));
}

void tell_error() { std::printf("error %d", static_cast<int>(cudaGetLastError())); }

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

ncclComm_t make_communicator() {
  ncclComm_t communicator = nullptr;
  ncclCommInitRank(&communicator, 2, ncclUniqueId{}, 1);
  return communicator;
}

void all_reduce(ncclComm_t communicator, cudaStream_t stream) {
  ncclAllReduce(nullptr, nullptr, 8, ncclFloat32, ncclSum, communicator, stream);
}

namespace {

// Three operations on a stream that does one piece of work at a time.
void steps() {
  cudaStream_t stream = make_stream();
  driver::hold(stream);
  ncclComm_t communicator = make_communicator();
  for (int i = 0; i < 3; ++i) all_reduce(communicator, stream);
  tell_progress();
  while (driver::step(stream)) tell_progress();
  tell_error();
}

// Which of the program's calls arrive at the vendor's library.
void calls() {
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  ncclComm_t communicator = make_communicator();
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  void* send = reinterpret_cast<void*>(0x7000);     // NOLINT(performance-no-int-to-ptr)
  void* receive = reinterpret_cast<void*>(0x8000);  // NOLINT(performance-no-int-to-ptr)
  driver::hold(stream);                             // so the event is not past
  ncclAllReduce(send, receive, 8, ncclFloat32, ncclMax, communicator, stream);
  ncclGroupStart();
  ncclSend(send, 3, ncclInt8, 0, communicator, stream);
  ncclAllReduce(send, send, 5, ncclInt8, ncclSum, communicator, other);
  ncclGroupEnd();
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(other, event, 1);
  cudaStreamSynchronize(other);
  std::printf("%s", driver::calls().c_str());
  tell_error();
}

// Which calls are seen to wait for their peers: those that connect.
void connections() {
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  driver::tell([](const char* call) {
    const bool waits = own_box().threads.at(0).waits == record::Waits::operation;
    std::printf("%s%s ", call, waits ? "*" : "");
  });
  const auto send = [&](int peer) { ncclSend(nullptr, 3, ncclInt8, peer, communicator, stream); };
  all_reduce(communicator, stream);
  all_reduce(communicator, stream);
  send(0);
  send(0);
  ncclGroupStart();
  send(1);
  ncclGroupEnd();
  ncclAlltoAll(nullptr, nullptr, 8, ncclFloat32, communicator, stream);
  ncclAlltoAll(nullptr, nullptr, 8, ncclFloat32, communicator, stream);
  tell_error();
}

void launch_kernel(cudaStream_t stream) {
  cudaLaunchKernel(static_cast<const void*>(nullptr), dim3{}, dim3{}, nullptr, 0, stream);
}
void tell_waits() {
  const bool waits = own_box().threads.at(0).waits != record::Waits::nothing;
  std::printf(waits ? "still waits" : "waits for nothing");
}

// What the thread is seen to launch from inside the calls. "!": that counts as progress.
void launching() {
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  all_reduce(communicator, stream);
  static const std::uint64_t epoch = own_box().threads.at(0).epoch;
  driver::tell([](const char* call) {
    const record::Thread thread = own_box().threads.at(0);
    const bool launches = thread.waits == record::Waits::device;
    std::printf("%s=%s%s ", call, launches ? std::string(to_string(thread.call)).c_str() : "",
                thread.epoch == epoch ? "" : "!");
  });
  all_reduce(communicator, stream);
  ncclGroupStart();
  all_reduce(communicator, stream);
  ncclGroupEnd();
  launch_kernel(stream);
  cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr);
  driver::tell([](const char*) {});
  tell_waits();
}

// As a signal's handler may.
void jumps_out_of_a_launch() {
  cudaStream_t stream = make_stream();
  all_reduce(make_communicator(), stream);
  static std::jmp_buf out;
  driver::tell([](const char*) { std::longjmp(out, 1); });
  if (setjmp(out) == 0) launch_kernel(stream);  // NOLINT(cert-err52-cpp)
  driver::tell([](const char*) {});
  tell_waits();
}

// How many operations are launched, seen from inside NCCL's calls and at the end.
void launches() {
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  driver::hold(stream);  // so the event is not past
  const auto tell = [](const char* call) {
    const record::Snapshot box = own_box();
    std::printf("%s ", call);
    for (const record::Operation& operation : box.operations) {
      std::printf("%d", static_cast<int>(operation.launched));
    }
    std::printf("/%d ", static_cast<int>(box.streams.at(0).enqueued));
  };
  driver::tell(tell);
  all_reduce(communicator, stream);
  ncclGroupStart();
  all_reduce(communicator, stream);
  all_reduce(communicator, stream);
  ncclGroupEnd();
  driver::tell([](const char*) {});
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaEventRecord(event, stream);
  cudaStream_t other = make_stream();
  driver::fail();
  cudaStreamWaitEvent(other, event, 0);
  tell("end");
}

// Which of the calls that end a communicator's use are seen to wait for its members. The
// communicator is nonblocking, and so is its child, which has no config of its own.
void closings() {
  make_stream();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t communicators[3] = {};
  for (ncclComm_t& communicator : communicators) {
    ncclCommInitRankConfig(&communicator, 2, ncclUniqueId{}, 1, &config);
  }
  driver::tell([](const char* call) {
    const bool waits = own_box().threads.at(0).waits == record::Waits::communicator_members;
    std::printf("%s%s ", call, waits ? "*" : "");
  });
  ncclComm_t child = nullptr;
  ncclResult_t state = ncclInProgress;
  ncclCommSplit(communicators[0], 0, 0, &child, nullptr);
  ncclCommGetAsyncError(communicators[0], &state);  // now the child has a handle
  all_reduce(child, nullptr);
  ncclCommFinalize(child);
  ncclCommFinalize(communicators[0]);
  ncclCommDestroy(communicators[1]);
  ncclCommAbort(communicators[2]);
  tell_error();
}

// NCCL simulates no group of a non-blocking communicator: it launches it.
void simulates_without_blocking() {
  cudaStream_t stream = make_stream();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t communicator = nullptr;
  ncclCommInitRankConfig(&communicator, 2, ncclUniqueId{}, 1, &config);
  ncclResult_t state = ncclInProgress;
  ncclCommGetAsyncError(communicator, &state);
  ncclGroupStart();
  all_reduce(communicator, stream);
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
  ncclGroupSimulateEnd(&info);
  ncclCommGetAsyncError(communicator, &state);
  all_reduce(communicator, stream);
  tell_error();
}

// A call is refused before NCCL's group hears of it, so the group succeeds.
void splits_beside_a_refusal() {
  make_stream();
  ncclComm_t communicator = make_communicator();
  ncclComm_t gone = make_communicator();
  ncclCommDestroy(gone);
  ncclComm_t child = nullptr;
  ncclGroupStart();
  ncclCommSplit(communicator, 0, 0, &child, nullptr);
  ncclCommDestroy(gone);
  ncclGroupEnd();
  tell_error();
}

// The stream belongs to another device than the current one. The recorder must make nothing for it
// on the current device.
void other_device() {
  cudaSetDevice(1);
  cudaStream_t stream = make_stream();
  driver::hold(stream);
  ncclComm_t communicator = make_communicator();
  all_reduce(communicator, stream);  // begins the polling
  tell_progress();
  const int contexts = driver::contexts();
  cudaSetDevice(0);
  for (int i = 0; i < 3; ++i) all_reduce(communicator, stream);
  while (driver::step(stream)) tell_progress();
  std::printf("contexts %d, missed %d, ", contexts,
              static_cast<int>(own_box().streams.at(0).missed));
  tell_error();
}

// The device fails while an operation is in flight. Nothing more is known about that operation.
void failing_device() {
  cudaStream_t stream = make_stream();
  driver::hold(stream);
  all_reduce(make_communicator(), stream);
  tell_progress();
  driver::fail();
  tell_progress();
}

// Every way to put work on a default stream. Each waits for the other streams' work, and the record
// shows that as a separate operation.
void default_streams() {
  cudaStream_t blocking = nullptr;
  cudaStreamCreateWithFlags(&blocking, cudaStreamDefault);
  ncclComm_t communicator = make_communicator();
  driver::hold(blocking);
  driver::hold(nullptr);
  const cudaLaunchConfig_t launch{};
  for (const auto& [name, call] : driver::on_default_streams(launch)) {
    all_reduce(communicator, blocking);
    all_reduce(communicator, nullptr);
    all_reduce(communicator, blocking);
    const std::size_t before = own_box().operations.size();
    call();
    if (own_box().operations.size() != before + 1) std::printf("%s records nothing, ", name);
  }
  tell_error();
}

void unregisters() {
  make_stream();
  driver::tell([](const char* call) {
    const bool waits = own_box().threads.at(0).waits == record::Waits::device;
    std::printf("%s%s ", call, waits ? "*" : "");
  });
  int memory = 0;
  cudaHostUnregister(&memory);
  tell_error();
}

}  // namespace
}  // namespace gridlock

int main(int argc, char** argv) {
  using namespace gridlock;
  const std::map<std::string_view, void (*)()> parts = {
      {"steps", steps},
      {"calls", calls},
      {"connections", connections},
      {"launching", launching},
      {"jumps_out_of_a_launch", jumps_out_of_a_launch},
      {"launches", launches},
      {"closings", closings},
      {"simulates_without_blocking", simulates_without_blocking},
      {"splits_beside_a_refusal", splits_beside_a_refusal},
      {"other_device", other_device},
      {"unregisters", unregisters},
      {"failing_device", failing_device},
      {"default_streams", default_streams},
      {"captured", captured},
      {"captured_to_graph", captured_to_graph},
      {"captured_beside_a_mark", captured_beside_a_mark},
      {"joins_while_capturing", joins_while_capturing},
      {"jumps_out_of_a_capture", jumps_out_of_a_capture},
  };
  if (argc != 2 || !parts.contains(argv[1])) return 2;
  parts.at(argv[1])();
  std::fflush(stdout);
  std::_Exit(0);  // the polling thread may be inside the vendor's library
}
